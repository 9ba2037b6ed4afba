// Four turns (tools, text, tools, text) through the Chat door on every Anthropic model, while the client changes the history before
// the thinking: no request is refused, and at most thinking is dropped, with a note.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DOCUMENTED } from '../../sim/anthropic/models.ts'
import { CONTROLS_BETA } from '../../sim/anthropic/preserved-thinking.ts'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import type { Sim } from '../../sim/server.ts'
import { spread } from '../depth.ts'
import { type Course, fourTurns } from '../four-turns.ts'
import { type Body, readTool, startGateway } from '../harness.ts'

let sim: Sim
let older: Sim
let refusing: Sim
beforeAll(async () => {
  sim = await startAnthropicSim()
  older = await startAnthropicSim({ isOlderAccount: true })
  refusing = await startAnthropicSim({ refusedBetas: [CONTROLS_BETA] })
})
afterAll(() => Promise.all([sim, older, refusing].map((each) => each.close())))

const started: { close(): Promise<void> }[] = []
afterAll(() => Promise.all(started.map((gateway) => gateway.close())))

async function startBefore(service: Sim): Promise<string> {
  const backends = { claude: { kind: 'anthropic', baseUrl: service.url, apiKey: 'k' } }
  const { gateway, url } = await startGateway({ backends })
  started.push(gateway)
  return url
}

const urls = new Map<Sim, Promise<string>>()
const urlOf = (service: Sim) => {
  const url = urls.get(service) ?? startBefore(service)
  urls.set(service, url)
  return url
}

type Change = NonNullable<Course['change']>

const withSystem = (body: Body & { messages: Body[] }, content: string) => ({
  ...body,
  messages: [{ role: 'system', content }, ...body.messages.slice(1)],
})

const other = { ...readTool, function: { ...readTool.function, name: 'other.tool' } }

const changes: Record<string, Change> = {
  'a system prompt with the time': (body, turn) => withSystem(body, `Be brief. It is 12:0${turn}.`),
  'a system prompt that changes once': (body, turn) => withSystem(body, turn < 2 ? 'Be brief.' : 'Be long.'),
  'a tool that comes later': (body, turn) => (turn < 2 ? body : { ...body, tools: [...body.tools, other] }),
  'a shortened result': (body) => ({
    ...body,
    messages: body.messages.map((message, at) =>
      message.role === 'tool' && at < body.messages.length - 1 ? { ...message, content: '[cut]' } : message,
    ),
  }),
  'a dropped turn': (body, turn) => ({
    ...body,
    messages: body.messages.filter((_, at) => turn < 2 || (at !== 2 && at !== 3)),
  }),
  'an instruction for one turn': (body, turn) => (turn === 2 ? { ...body, tool_choice: 'required' } : body),
}

const left = /earlier thinking/
/** Behind what else is changed, turns are not found any more: nothing is left out that was known. */
const known = /system prompt|tool that/
const checked = /fable-5-[12]|mythos-5-[12]|(opus|sonnet|haiku)-5-5/

it('a service without the controls gets one retry without them, and never sees them again', async () => {
  const ask = async () =>
    (
      await fourTurns({
        model: 'claude/claude-opus-5-5',
        stream: true,
        sim: refusing,
        url: () => urlOf(refusing),
      })
    ).statuses
  expect(await ask()).toEqual([400, 200, 200, 200, 200])
  expect(await ask()).toEqual([200, 200, 200, 200])
})

describe.each(spread(DOCUMENTED, 1))('%s', (name) => {
  const model = `claude/${name}`
  const more = { reasoning_effort: 'high' }

  it.each([true, false])('gets all thinking back where nothing has changed (stream: %s)', async (stream) => {
    const turns = await fourTurns({ model, stream, sim, url: () => urlOf(sim), more })
    expect(turns.statuses).toEqual([200, 200, 200, 200])
    expect(turns.replayed).toEqual([0, 1, 2, 3])
    expect(turns.notes).not.toMatch(left)
    expect(turns.reasoning).toEqual(['thought 0', 'thought 1', 'thought 2', 'thought 3'])
  })

  it.each(Object.keys(changes))('goes on behind %s', async (what) => {
    const change = changes[what] as Change
    const ways = [
      { service: sim, stream: true },
      { service: sim, stream: false },
      { service: older, stream: true },
      { service: refusing, stream: false },
    ]
    for (const { service, stream } of ways) {
      const turns = await fourTurns({ model, stream, sim: service, url: () => urlOf(service), more, change })
      expect(turns.statuses).toEqual([200, 200, 200, 200])
      if (checked.test(name) && known.test(what)) expect(turns.notes).toMatch(left)
    }
  })

  it.each([
    ['with thinking off', () => 'none'],
    ['with no effort stated', () => undefined],
    ['with thinking on and off in turn', (turn: number) => (turn % 2 === 0 ? 'high' : 'none')],
    ['with thinking off and on in turn', (turn: number) => (turn % 2 === 0 ? 'none' : 'low')],
  ])('goes on %s', async (_, effortOf) => {
    for (const stream of [true, false]) {
      for (const date of ['', ' It is late.']) {
        const change: Change = (body, turn) => ({
          ...withSystem(body, `Be brief.${turn === 3 ? date : ''}`),
          reasoning_effort: effortOf(turn),
        })
        const turns = await fourTurns({ model, stream, sim, url: () => urlOf(sim), change })
        expect(turns.statuses).toEqual([200, 200, 200, 200])
      }
    }
  })

  it('continues after a restart of the gateway', async () => {
    for (const stream of [true, false]) {
      const restarted = await startBefore(sim)
      const url = (turn: number) => (turn < 2 ? urlOf(sim) : restarted)
      const turns = await fourTurns({ model, stream, sim, url, more })
      expect(turns.statuses).toEqual([200, 200, 200, 200])
      expect(turns.replayed.slice(0, 3)).toEqual([0, 1, 0])
    }
  })
})
