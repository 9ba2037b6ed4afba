// T106: repairs of faults that no simulator has, in all dialects, at every door.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repairNotes } from '../../src/core/repairs.ts'
import { startGateway } from '../harness.ts'
import { eventStream, type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream.ts'
import { doors } from './at-doors.ts'
import { askNoted, notesFor } from './repair-bench.ts'
import { repairRows, responsesRows } from './repair-rows.ts'
import { lateRows, type ScriptedRow, scriptedRows, withoutStart } from './repair-scripts.ts'

const models = {
  ...{ chat: 'box/m', messages: 'claude/claude-demo' },
  ...{ responses: 'new/m', gemini: 'google/gemini-3.8-flash' },
}
let upstream: ScriptedUpstream
let gateway: Awaited<ReturnType<typeof startGateway>>
beforeAll(async () => {
  upstream = await startScriptedUpstream()
  const place = { baseUrl: upstream.url, apiKey: 'key-of-the-upstream' }
  gateway = await startGateway({
    backends: {
      box: { kind: 'openai', ...place },
      claude: { kind: 'anthropic', ...place },
      google: { kind: 'gemini', ...place },
      new: { kind: 'openai', api: 'responses', ...place },
    },
  })
})
afterAll(async () => {
  await gateway.gateway.close()
  upstream.close()
})

const frame = (api: string, data: object) =>
  `${api === 'chat' || api === 'gemini' ? '' : `event: ${(data as { type: string }).type}\n`}data: ${JSON.stringify(data)}\n\n`

async function play({ api, sent, late }: ScriptedRow, door: (typeof doors)[number]) {
  const stream = Array.isArray(sent)
  const events = stream ? sent.map((data) => frame(api, data)).join('') : ''
  const body = stream ? events + (api === 'chat' ? 'data: [DONE]\n\n' : '') : JSON.stringify(sent)
  const place = late === undefined ? undefined : body.indexOf(frame(api, late))
  upstream.answer = {
    ...(stream ? { headers: eventStream } : {}),
    body: body.slice(0, place),
    ...(place === undefined ? {} : { later: body.slice(place) }),
  }
  return askNoted(gateway, { door, stream }, models[api])
}

const rows = scriptedRows.map((row) => [`${row.api}: ${row.name}`, row] as const)

describe.each(doors)('T106: at the door of %s', (door) => {
  it.each(rows)('%s', async (_, row) => {
    const { status, logged, told, text } = await play(row, door)
    expect([status, /"error":\{/.test(text)]).toEqual([200, false])
    const notes = notesFor(row.api === door ? row.own : row.others)
    expect(logged.toSorted()).toEqual(notes.toSorted())
    for (const note of notes) expect(told.split(note)).toHaveLength(2)
    for (const words of row.says) expect(text.replaceAll('\\"', '"')).toContain(words)
  })
})

describe.each(doors)('T106: at the door of %s, after the response has begun', (door) => {
  it.each(lateRows.map((row) => [row.api, row] as const))('%s: at the end of the stream', async (_, row) => {
    const { status, logged, told, text } = await play(row, door)
    expect([status, /"error":\{/.test(text)]).toEqual([200, false])
    const notes = notesFor(row.others)
    expect(logged).toEqual(notes)
    const [inHeader = '', atEnd = ''] = told.split('\n')
    expect(inHeader).toBe('')
    for (const note of notes) expect(atEnd).toContain(note)
    const place = text.indexOf(notes[0] ?? '')
    expect(place).toBeGreaterThan(text.indexOf(row.says[0] ?? ''))
  })
})

it.each(['chat', 'responses', 'gemini', 'ollama'] as const)(
  'T106: an answer without its start, at the door of %s',
  async (door) => {
    expect((await play(withoutStart, door)).logged).toEqual(notesFor(withoutStart.others))
  },
)

it('T106: every kind of repair has a row', () => {
  const rows = [...Object.values(repairRows), ...Object.values(responsesRows)]
  const kinds = new Set<string>([
    ...rows.flatMap(({ streamed, whole, chunks = [], answer = [] }) => [
      ...streamed,
      ...whole,
      ...chunks,
      ...answer,
    ]),
    ...[...scriptedRows, withoutStart].flatMap(({ others, own }) => [...others, ...own]),
  ])
  expect(Object.keys(repairNotes).filter((kind) => !kinds.has(kind))).toEqual([])
})
