// Many concurrent streams through all doors: no word is lost, repeated or misplaced. `npm run bench:streams` does the
// same with 200 streams for a minute, and has the figures.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { atTestEnd } from '../at-end.ts'
import { scaled } from '../depth.ts'
import { startUpstream } from '../end-to-end/wire.ts'
import { startGateway } from '../harness.ts'
import { ask, doorNames } from './doors.ts'
import { useWatch } from './frame.ts'

const streams = scaled(90, 40)
const words = 60
const watch = useWatch()
const wordOf = (name: string, at: number) => `${name}.${at} `
const chunkOf = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`

it(`${streams} streams of ${words} words each`, async () => {
  watch.mark()
  const upstream = await startUpstream(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const [, name = ''] = /"(stream\d+)"/.exec(text) ?? []
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let at = 0; at < words; at++) {
      response.write(chunkOf({ content: wordOf(name, at) }))
      // Each of them goes its own way: words leave one by one, or several together.
      if ((at + name.length) % 4 !== 0) await sleep(1)
    }
    response.end(`${chunkOf({}, 'stop')}data: [DONE]\n\n`)
  })
  atTestEnd(() => upstream.close())
  const { gateway, url } = await startGateway({ backends: { up: { kind: 'openai', baseUrl: upstream.url } } })
  atTestEnd(() => gateway.close())
  const answers = await Promise.all(
    Array.from({ length: streams }, (_, at) => {
      const door = doorNames[at % doorNames.length] ?? 'chat'
      return ask(url, door, { model: 'up/m', turns: [{ user: `stream${at}` }], stream: true })
    }),
  )
  for (const [at, answer] of answers.entries()) {
    expect(answer).toMatchObject({ status: 200, complete: true, problems: [] })
    expect(answer.text).toBe(Array.from({ length: words }, (_, word) => wordOf(`stream${at}`, word)).join(''))
  }
  await gateway.close()
  await upstream.close()
  await watch.expectNothingLeft()
})
