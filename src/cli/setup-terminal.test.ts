import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { askOn, askSecretOn } from './setup-terminal.ts'

/** A terminal: what is typed comes key by key, and readline echoes it. */
function fakeTerminal() {
  const terminal = { isTTY: true, setRawMode: () => undefined, columns: 80 }
  const input = Object.assign(new PassThrough(), terminal)
  const output = Object.assign(new PassThrough(), terminal)
  let echoed = ''
  output.on('data', (bytes) => {
    echoed += String(bytes)
  })
  return { input, output, echoed: () => echoed }
}

it('echoes what is typed once, at every question', async () => {
  const { input, output, echoed } = fakeTerminal()
  for (const word of ['first', 'second', 'third']) {
    const answer = askOn({ input, output }, `${word}? `)
    for (const key of word) input.write(key)
    input.write('\r')
    expect(await answer).toBe(word)
    expect(echoed().split(word).length - 1).toBe(2)
  }
})

it('shows a question for a secret, and nothing of what is typed', async () => {
  const { input, output, echoed } = fakeTerminal()
  const answer = askSecretOn({ input, output }, 'Its key: ')
  for (const key of 'hunter2') input.write(key)
  input.write('\r')
  expect(await answer).toBe('hunter2')
  expect(echoed()).toBe('Its key: \n')
})

it('takes the end of input as no answer', async () => {
  const { input, output } = fakeTerminal()
  const answer = askOn({ input, output }, 'Sure? ')
  input.end()
  await expect(answer).rejects.toThrow('Nothing was written.')
})
