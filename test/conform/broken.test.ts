// On copies of our gateway that were broken on purpose, the right cases fail, and no others.

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { DoorName } from '../../src/judge/clients/answer.ts'
import { isNightly, share, spread } from '../depth.ts'
import { type Spoiler, startBrokenCopy } from './broken-copy.ts'
import { failedIds, type Judged, startJudged } from './judge.ts'

let judged: Judged
beforeAll(async () => {
  judged = await startJudged('openai')
})
afterAll(() => judged.close())

// biome-ignore lint/suspicious/noExplicitAny: events are taken apart as they are
type Json = any

function changed(event: string, change: (value: Json) => Json): string | undefined {
  const at = event.indexOf('data: ')
  if (at < 0 || event.includes('[DONE]')) return event
  const value = change(JSON.parse(event.slice(at + 6)))
  return value === undefined ? undefined : `${event.slice(0, at)}data: ${JSON.stringify(value)}`
}

const choice = (event: string, change: (choice: Json) => void) =>
  changed(event, (value) => {
    if (value.choices?.[0]) change(value.choices[0])
    return value
  })

const eachCall = (event: string, change: (call: Json) => void) =>
  choice(event, ({ delta }) => {
    for (const call of delta.tool_calls ?? []) change(call)
  })

const eachArguments = (event: string, change: (text: string) => string) =>
  eachCall(event, (call) => {
    if (call.function?.arguments) call.function.arguments = change(call.function.arguments)
  })

/** All that make calls in a stream, and look at their arguments. */
const everyArgument =
  'C2 C3 C7 C12 T2 T3 T4 T4b T5 T5b T6 T7 T7b T8 T8b T8c T8d T9 T9b T9c T9e T10 T10b T12 T18b T19 T42 T42b U18 U24 U30 U33 U33b U34 U34b U35 U35b U36 U37 U38 U39 U40 U44b'
const everyRefusal =
  'R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 T9d T11 T12c T13c T15b T15c U8 U9 U10 U11 U12 U13 U23 U23b'

interface Row {
  broken: string
  door?: DoorName
  spoiler: Spoiler
  fails: string
}

const cleanEnd = {
  id: 'x',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
}

const rows: Row[] = [
  { broken: 'nothing', spoiler: {}, fails: '' },
  {
    broken: 'ids of streamed calls are dropped',
    spoiler: { event: (event) => eachCall(event, (call) => delete call.id) },
    fails: 'C3 T2 T3 T4 T4b T5 T8d T9 T9b T9c T9e T42 T42b U18 U24',
  },
  {
    broken: 'the role stands in every delta',
    spoiler: {
      event: (event) => choice(event, ({ delta }) => Object.assign(delta, { role: 'assistant' })),
    },
    fails: 'F5 U16',
  },
  {
    broken: 'the last bracket of arguments is lost',
    spoiler: { event: (event) => eachArguments(event, (text) => text.slice(0, -1)) },
    fails: everyArgument,
  },
  {
    broken: 'arguments are written anew',
    spoiler: { event: (event) => eachArguments(event, (text) => JSON.stringify(JSON.parse(text))) },
    fails: 'T8 T8b',
  },
  {
    broken: '[DONE] is forgotten',
    spoiler: { event: (event) => (event.includes('[DONE]') ? undefined : event) },
    fails: 'F8 T14 T15',
  },
  {
    broken: 'parallel calls all say index 0',
    spoiler: { event: (event) => eachCall(event, (call) => Object.assign(call, { index: 0 })) },
    fails: 'T2 T3 T4 T4b T5 T8d T9e T42 T42b U24',
  },
  {
    broken: 'the index is left out',
    spoiler: { event: (event) => eachCall(event, (call) => delete call.index) },
    fails: 'C4 T2 T3 T8d',
  },
  {
    broken: 'every end is a stop',
    spoiler: {
      event: (event) =>
        choice(event, (found) => Object.assign(found, found.finish_reason && { finish_reason: 'stop' })),
    },
    fails: 'C6 T10 T10b T12 T12d T12e',
  },
  {
    broken: 'the chunk that ends is lost',
    spoiler: {
      event: (event) => changed(event, (value) => (value.choices?.[0]?.finish_reason ? undefined : value)),
    },
    fails: 'C6 F7 T10 T10b T12 T12d T12e T14 T14b T15d U14 U15 U20',
  },
  {
    broken: 'every chunk has an id of its own',
    spoiler: { event: (event) => changed(event, (value) => ({ ...value, id: `chatcmpl-${Math.random()}` })) },
    fails: 'F4 U17',
  },
  {
    broken: 'errors inside a stream become a clean end',
    spoiler: { event: (event) => changed(event, (value) => (value.error ? cleanEnd : value)) },
    fails: 'T13 T13b T15',
  },
  { broken: 'every status is 200', spoiler: { status: () => 200 }, fails: `${everyRefusal} R11 T12h` },
  { broken: 'Retry-After is dropped', spoiler: { header: (name) => name !== 'retry-after' }, fails: 'U8' },
  {
    broken: 'errors are plain text',
    spoiler: { body: (text) => (text.includes('"error"') ? 'Internal error' : text) },
    fails: everyRefusal,
  },
  {
    broken: 'usage is always sent',
    spoiler: {
      request: (body) => (body.stream ? { ...body, stream_options: { include_usage: true } } : body),
    },
    fails: 'F10 T17',
  },
  {
    broken: 'usage is never sent',
    spoiler: {
      request: ({ stream_options: _, ...body }) => body,
      body: (text) => text.replace(/,"usage":\{.*$/s, '}'),
    },
    fails: 'F11 T17b T17c T17d T17e U44',
  },
  {
    broken: 'tool_choice is dropped',
    spoiler: { request: ({ tool_choice: _, ...body }) => body },
    fails: 'C11 T18b U4 U4b U4c',
  },
  {
    broken: 'results are dropped',
    spoiler: {
      request: (body) =>
        Array.isArray(body.messages)
          ? { ...body, messages: body.messages.filter(({ role }: Json) => role !== 'tool') }
          : body,
    },
    fails: 'T20f',
  },
  { broken: 'the stream is held back until its end', spoiler: { buffers: true }, fails: 'U1 U2' },
  { broken: 'a client that has gone is not noticed', spoiler: { staysOn: true }, fails: 'U2' },
  {
    broken: 'events have no names',
    door: 'messages',
    spoiler: { event: (event) => event.replace(/^event: .*\n/m, '') },
    fails: 'F2',
  },
  {
    // A comment with notes may stand before it.
    broken: 'message_stop is lost',
    door: 'messages',
    spoiler: { event: (event) => (/^event: message_stop$/m.test(event) ? undefined : event) },
    fails: 'F8 T14',
  },
  {
    broken: 'blocks count from 1',
    door: 'messages',
    spoiler: {
      event: (event) =>
        changed(event, (value) => ('index' in value ? { ...value, index: value.index + 1 } : value)),
    },
    fails: 'C4 T2 T3 T8d',
  },
  {
    broken: 'events have no numbers',
    door: 'responses',
    spoiler: { event: (event) => changed(event, ({ sequence_number: _, ...value }) => value) },
    fails: 'F6',
  },
  {
    broken: 'response.completed is lost',
    door: 'responses',
    spoiler: { event: (event) => (/^event: response\.completed$/m.test(event) ? undefined : event) },
    fails: 'C6 F8 F11 T10 T10b T14 T15d T17b T17c T17d T17e T40 U15 U20',
  },
  {
    broken: 'numbers are taken out of text, wherever they stand',
    spoiler: {
      event: (event) =>
        eachArguments(event, (text) => text.replace(/"(\d+)"/g, (_, digits) => String(Number(digits)))),
    },
    fails: 'T8d U39',
  },
  {
    broken: 'arguments that the schema does not name are dropped',
    spoiler: { event: (event) => eachArguments(event, (text) => text.replace(/,"extra":.*/, '}')) },
    fails: 'U40',
  },
  {
    broken: 'unknown fields of the request are dropped',
    spoiler: { request: ({ some_new_field: _, ...body }) => body },
    fails: 'U41',
  },
  {
    broken: 'unknown fields of the answer are dropped',
    spoiler: {
      event: (event) => choice(event, ({ delta }) => delete delta.some_new_field),
      body: (text) => text.replaceAll(/"some_new_field":\{[^}]*\},?/g, ''),
    },
    fails: 'U44',
  },
  {
    broken: 'comments stand between frames',
    door: 'gemini',
    spoiler: { event: (event) => `: keep-alive\n\n${event}` },
    fails: 'F2 T16 T16b T16c T16d T16e',
  },
  {
    broken: '[DONE] ends the stream',
    door: 'gemini',
    spoiler: {
      event: (event) => (event.includes('finishReason') ? `${event}\n\ndata: [DONE]` : event),
    },
    fails: 'F2 T16 T16b T16c T16d T16e',
  },
  {
    broken: 'the chunk with the finishReason is lost',
    door: 'gemini',
    spoiler: { event: (event) => (event.includes('finishReason') ? undefined : event) },
    fails: 'C6 F7 F8 F11 T10 T10b T12 T12d T12e T14 T14b T15d T17b T17c T17d T17e U14 U15 U20',
  },
  {
    broken: 'calls have no ids, which is allowed',
    door: 'gemini',
    spoiler: {
      event: (event) => event.replace(/("functionCall":\{)"id":"[^"]*",/g, '$1'),
      body: (text) => text.replace(/("functionCall":\{)"id":"[^"]*",/g, '$1'),
    },
    fails: '',
  },
]

it.each(isNightly ? share(rows, 12) : spread(rows, 1))(
  '$broken',
  async ({ door = 'chat', spoiler, fails }) => {
    const copy = await startBrokenCopy(judged.base, spoiler)
    try {
      const failed = failedIds(await judged.judge(copy.base, { doors: [door] }))
      expect(failed.sort()).toEqual(fails.split(' ').filter(Boolean).sort())
    } finally {
      await copy.close()
    }
  },
  60_000,
)
