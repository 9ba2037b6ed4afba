// Every quirk of the OpenAI simulator, in Chat and in Responses, with the notes that it must leave, and no others.

import type { Quirk, ResponsesQuirk } from '../../sim/openai.ts'
import type { Step } from '../../sim/script.ts'
import type { RepairKind } from '../../src/core/repairs.ts'

/** A kind of repair; how arguments were corrected, in words; or another note. */
export type Expected = RepairKind | `: ${string}` | `= ${string}`

export interface RepairRow {
  steps: readonly Step[]
  /** At every door. */
  streamed: readonly Expected[]
  whole: readonly Expected[]
  /** More at the door of the same dialect, where the client would see the server's own chunk or answer. */
  chunks?: readonly Expected[]
  answer?: readonly Expected[]
  /** Why there are none. */
  why?: string
  /** The answer is an error. */
  fails?: 'always' | 'streamed' | 'in pieces'
  /** The client of the same dialect gets the server's own events. */
  passes?: true
}

const call = (path: string): Step => ({ call: { name: 'read', arguments: { path } }, pieces: 3 })
const calls = [call('a'), call('b')]
const words: readonly Step[] = [{ think: 'Hm.' }, { say: 'Hello there.' }]
const nothing = { call: { name: 'list', arguments: {} } }

const noted = (steps: readonly Step[], ...kinds: readonly Expected[]): RepairRow => ({
  ...{ steps, streamed: kinds, whole: kinds },
})
const inStream = (steps: readonly Step[], ...kinds: readonly Expected[]): RepairRow => ({
  ...{ steps, streamed: kinds, whole: [] },
})
/** Only a client of the same dialect could notice it. */
const inChunks = (steps: readonly Step[], ...kinds: readonly Expected[]): RepairRow => ({
  ...{ steps, streamed: [], whole: [], chunks: kinds },
})
const inBoth = (steps: readonly Step[], ...kinds: readonly Expected[]): RepairRow => ({
  ...inChunks(steps, ...kinds),
  answer: kinds,
})
const none = (steps: readonly Step[], why: string): RepairRow => ({
  ...{ steps, streamed: [], whole: [], why },
})

export const repairRows: Record<Quirk, RepairRow> = {
  'no-index': inStream(calls, 'no-call-index'),
  'index-zero': inStream(calls, 'shared-call-index'),
  'late-name': inStream(calls, 'late-call-name'),
  'repeat-name': inStream(calls, 'repeated-call-name'),
  'null-name': none(calls, 'null in place of a missing member says the same'),
  'empty-name': inStream(calls, 'empty-call-name'),
  'changing-call-id': inStream(calls, 'changing-call-id'),
  'index-from-one': inChunks(calls, 'call-index-gap'),
  'no-type': inBoth(calls, 'no-call-type'),
  'legacy-call': noted([call('a')], 'legacy-call'),
  'no-id': noted(calls, 'no-call-id'),
  'stop-with-calls': noted(calls, 'finish-of-calls'),
  'tool-calls-without-calls': noted([{ say: 'Hello.' }, call('a')], 'announced-calls'),
  'concatenated-arguments': {
    ...noted(calls, ': arguments of 2 calls run together were separated'),
    fails: 'in pieces',
  },
  'object-arguments': noted(calls, 'object-arguments'),
  'empty-object-first': inStream(calls, ': an empty object before the arguments was removed'),
  'empty-arguments': noted([nothing], 'empty-arguments'),
  interleaved: inStream(calls, 'interleaved-calls'),
  'foreign-finish': noted(words, 'odd-finish'),
  'text-after-end': inStream(words, 'output-after-end'),
  'no-done': inStream(words, 'no-done'),
  'no-finish': inStream(words, 'no-finish'),
  comments: none(words, 'comments are part of server-sent events, to be passed over'),
  'usage-every-chunk': inChunks(words, 'usage-place'),
  'usage-with-finish': none(words, 'most servers do it; the client gets the same usage'),
  'usage-in-choice': inChunks(words, 'usage-place'),
  'no-choices-usage': inChunks(words, 'no-choices'),
  reasoning_content: none(words, 'the usual field of a server that shows its reasoning'),
  reasoning: inBoth(words, 'reasoning-field'),
  'think-tags': none(words, 'text of the model, which passes unchanged'),
  'details-fragments': inBoth([{ think: 'Hm.' }, ...calls], 'reasoning-field'),
  'thought-signature': none(calls, 'passes unchanged, and is kept for the next request'),
  'whole-calls': none(calls, 'a call may come in any number of pieces'),
  'careless-calls': none(words, 'the check of calls has its own notes and tests (docs/calls.md)'),
  'no-answer-id': inBoth(words, 'no-answer-id'),
  'no-object': inBoth(words, 'no-object'),
  'no-created': inBoth(words, 'no-created'),
  'no-model': inBoth(words, 'no-model'),
  'changing-answer-id': inChunks(words, 'changing-answer-id'),
  'changing-created': inChunks(words, 'changing-created'),
  'no-role': inBoth(words, 'no-role'),
  'repeat-role': inChunks(words, 'repeated-role'),
  'no-choice-index': inBoth(words, 'no-choice-index'),
  'no-delta': inChunks(words, 'no-delta'),
  'message-beside-delta': inChunks(words, 'message-beside-delta'),
  'filter-results-first': inChunks(words, 'early-chunk'),
  'not-streamed': inStream(words, 'not-streamed'),
  'content-parts': noted(words, 'content-parts'),
  'message-in-stream': inStream(calls, 'whole-message'),
  'error-array': none(words, 'only refusals are odd'),
  'error-flat': none(words, 'only refusals are odd'),
  'error-text': none(words, 'only refusals are odd'),
  'error-empty': none(words, 'only refusals are odd'),
  'error-in-200': { ...none(words, 'an error has no answer to repair'), fails: 'always' },
}

/** A client of Responses reads the same events as the gateway. */
const elsewhere = (steps: readonly Step[], ...kinds: readonly Expected[]): RepairRow => ({
  ...inStream(steps, ...kinds),
  passes: true,
})
const items = [...words, ...calls]
const error: Omit<RepairRow, 'fails'> = none(words, 'an error has no answer to repair')

export const responsesRows: Record<ResponsesQuirk, RepairRow> = {
  'no-deltas': elsewhere(items, 'missing-events'),
  'done-only': elsewhere(items, 'missing-events'),
  'items-at-end': elsewhere(items, 'missing-events'),
  'no-item-ids': none(items, 'items are found by their index, and clients get ids of the gateway'),
  'rotating-ids': none(items, 'items are found by their index, and clients get ids of the gateway'),
  'same-item-ids': none(items, 'items are found by their index, and clients get ids of the gateway'),
  'index-gaps': none(items, 'the order is clear'),
  // The last event does not repeat the unknown items.
  'unknown-events': { ...elsewhere(items, 'odd-part'), chunks: ['no-output'] },
  'keepalive-events': none(items, 'they say nothing'),
  'no-event-lines': inChunks(items, 'no-event-names'),
  'done-mark': none(items, 'it comes after the end'),
  'empty-output': inChunks(items, 'no-output'),
  'no-usage': none(items, 'estimated usage says itself that it is'),
  'raw-reasoning': none(items, 'a form of OpenAI'),
  'error-then-failed': { ...error, fails: 'always' },
  'failed-alone': { ...error, fails: 'always' },
  'flat-error': { ...error, fails: 'always' },
  'no-end': { ...error, fails: 'streamed' },
}
