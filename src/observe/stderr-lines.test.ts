import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createLines } from './stderr-lines.ts'

function gathering() {
  const writes: string[] = []
  return { writes, lines: createLines((text) => writes.push(text)) }
}

describe('lines', () => {
  it('of one turn of the event loop are written together, in their order', async () => {
    const { writes, lines } = gathering()
    lines.add('a\n')
    lines.add('b\n')
    expect(writes).toEqual([])
    await turnOfTheLoop()
    await turnOfTheLoop()
    lines.add('c\n')
    await turnOfTheLoop()
    await turnOfTheLoop()
    expect(writes).toEqual(['a\nb\n', 'c\n'])
  })

  it('are written at once when that is asked for, and not again', async () => {
    const { writes, lines } = gathering()
    lines.add('a\n')
    lines.flush()
    expect(writes).toEqual(['a\n'])
    await turnOfTheLoop()
    await turnOfTheLoop()
    expect(writes).toEqual(['a\n'])
  })

  it('are not written together beyond what a pipe takes at once', () => {
    const { writes, lines } = gathering()
    const long = `${'x'.repeat(2_000)}\n`
    for (let count = 0; count < 5; count++) lines.add(long)
    lines.flush()
    expect(writes.join('')).toBe(long.repeat(5))
    expect(writes.map(({ length }) => length)).toEqual([4_002, 4_002, 2_001])
  })
})
