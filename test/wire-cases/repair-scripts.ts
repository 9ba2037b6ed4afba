// Answers with faults that the simulators have no quirk for, event by event, with the notes that they must leave.

import { cutCallNote } from '../../src/protocols/requests/tool-input.ts'
import type { Expected } from './repair-rows.ts'

export interface ScriptedRow {
  api: 'chat' | 'messages' | 'responses' | 'gemini'
  name: string
  /** The data of each event; or the body of an answer that is not streamed. */
  sent: readonly object[] | object
  /** At doors of other dialects. */
  others: readonly Expected[]
  /** At the door of the same dialect. */
  own: readonly Expected[]
  /** The answer that every client gets: its text, or the arguments of its calls. */
  says: readonly string[]
  /** The event before which the server pauses. */
  late?: object
}

type Fields = Record<string, unknown>

// Chat
const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
const chunk = (delta: Fields, finish_reason: string | null = null): Fields => ({
  ...head,
  choices: [{ index: 0, delta, finish_reason }],
})
const role = chunk({ role: 'assistant', content: '' })
const piece = (index: number, given: unknown, more: Fields = {}): Fields =>
  chunk({ tool_calls: [{ index, ...more, function: { arguments: given } }] })
const begun = (index: number, given: unknown = '', name: unknown = 'read'): Fields =>
  chunk({ tool_calls: [{ index, id: `c${index}`, type: 'function', function: { name, arguments: given } }] })
const counted: Fields = { ...head, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }
const chatEnd = (reason: string): Fields => chunk({}, reason)
const chatWhole = (message: Fields, finish_reason: string | null, more: Fields = {}): Fields => ({
  ...head,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  ...more,
})
const chatRow = (name: string, sent: ScriptedRow['sent'], kinds: readonly Expected[], says: readonly string[]): ScriptedRow => ({ api: 'chat', name, sent, others: kinds, own: kinds, says }) // biome-ignore format: one line

const chat: readonly ScriptedRow[] = [
  chatRow('text between the pieces of a call', [role, begun(0, '{"path":'), chunk({ content: 'Wait.' }), piece(0, '"a"}'), chatEnd('tool_calls')], ['text-inside-call'], ['"a"', 'Wait.']),
  chatRow('text after a call without arguments', [role, begun(0, '{}', 'list'), chunk({ content: 'Wait.' }), chatEnd('tool_calls')], [], ['Wait.']),
  chatRow('a part of the content that nobody knows', [role, chunk({ content: [{ type: 'text', text: 'Hi.' }, { type: 'reference', ids: [1] }] }), chatEnd('stop')], ['content-parts', 'odd-part'], ['Hi.']),
  chatRow('an empty list as arguments', [role, begun(0, [], 'list'), chatEnd('tool_calls')], ['empty-arguments'], ['list']),
  chatRow('no finish reason, whole', chatWhole({ content: 'Hi.' }, null), ['no-finish'], ['Hi.']),
  { ...chatRow('usage twice', [role, chunk({ content: 'Hi.' }), chatEnd('stop'), counted, counted], [], ['Hi.']), own: ['usage-place'] },
  { ...chatRow('an answer whose usage comes before its last text', [role, { ...head, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }, chunk({ content: 'Hi.' }), chatEnd('stop')], [], ['Hi.']), own: ['usage-place'] },
  chatRow('a nameless call that was cut off', [role, chunk({ content: 'Hi.' }), begun(0, '{"pa', null), chatEnd('length')], [`= ${cutCallNote}`], ['Hi.']),
  chatRow('a piece of blanks after whole arguments', [role, begun(0, '{"path":"a"}'), piece(0, ' \n'), piece(0, ''), chatEnd('tool_calls')], [], ['"a"']),
  chatRow('an empty usage chunk, null members and a refusal', [{ ...role, usage: null }, chunk({ content: null, tool_calls: null, function_call: null, refusal: 'No.' }), chatEnd('stop'), { ...head, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }], [], ['No.']),
] // biome-ignore format: one line a row

// Messages
const start: Fields = { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'claude', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } } // biome-ignore format: one line
const block = (index: number, content_block: Fields): Fields => ({ type: 'content_block_start', index, content_block }) // biome-ignore format: one line
const delta = (index: number, given: Fields): Fields => ({ type: 'content_block_delta', index, delta: given })
const stop = (index: number): Fields => ({ type: 'content_block_stop', index })
const textBlock = (index: number, text: string): Fields[] => [
  ...[block(index, { type: 'text', text: '' }), delta(index, { type: 'text_delta', text }), stop(index)],
]
const useBlock = (index: number, json: string): Fields[] => [
  block(index, { type: 'tool_use', id: `toolu_${index}`, name: 'read', input: {} }),
  ...(json === '' ? [] : [delta(index, { type: 'input_json_delta', partial_json: json })]),
  stop(index),
]
const end = (stop_reason: string | undefined): Fields[] => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
]
const messagesWhole = (content: Fields[], stop_reason?: string): Fields => ({
  ...(start.message as Fields),
  ...{ content, stop_reason },
})
/** By its lane such an answer passes as it is. */
const passed = (name: string, sent: ScriptedRow['sent'], others: readonly Expected[], says: readonly string[]): ScriptedRow => ({ api: 'messages', name, sent, others, own: [], says }) // biome-ignore format: one line

const messages: readonly ScriptedRow[] = [
  passed('a clean answer', [start, ...textBlock(0, 'Hi.'), { type: 'ping' }, ...useBlock(1, '{"path":"a"}'), ...useBlock(2, ''), ...end('tool_use')], [], ['Hi.', '"a"']),
  passed('a clean answer, whole', messagesWhole([{ type: 'text', text: 'Hi.' }], 'end_turn'), [], ['Hi.']),
  { ...passed('two starts', [start, ...textBlock(0, 'Hi.'), start, ...end('end_turn')], ['repeated-start'], ['Hi.']), own: ['repeated-start'] },
  { ...passed('a call that ends as a text does', [start, ...useBlock(0, '{"path":"a"}'), ...end('end_turn')], ['finish-of-calls'], ['"a"']), own: ['finish-of-calls'] },
  { ...passed('a text that ends as calls do', [start, ...textBlock(0, 'Hi.'), ...end('tool_use')], ['announced-calls'], ['Hi.']), own: ['announced-calls'] },
  passed('no stop reason', [start, ...textBlock(0, 'Hi.'), ...end(undefined)], ['no-stop-reason'], ['Hi.']),
  passed('no stop reason, whole', messagesWhole([{ type: 'text', text: 'Hi.' }]), ['no-stop-reason'], ['Hi.']),
  passed('a stop reason that nobody knows', [start, ...textBlock(0, 'Hi.'), ...end('tired')], ['odd-finish'], ['Hi.']),
  passed('a block without its end', [start, ...textBlock(0, 'Hi.').slice(0, 2), ...useBlock(1, '{"path":"a"}'), ...end('tool_use')], ['open-block'], ['Hi.', '"a"']),
  passed('a delta between blocks', [start, ...textBlock(0, 'Hi.'), delta(0, { type: 'text_delta', text: 'Lost.' }), ...end('end_turn')], ['stray-delta'], ['Hi.']),
  passed('a block that nobody knows', [start, block(0, { type: 'hologram' }), delta(0, { type: 'text_delta', text: 'x' }), stop(0), ...textBlock(1, 'Hi.'), ...end('end_turn')], ['odd-part'], ['Hi.']),
] // biome-ignore format: one line a row

/** A client of Messages would see nothing of it. */
export const withoutStart: ScriptedRow = passed('no start', [...textBlock(0, 'Hi.'), ...end('end_turn')], ['no-start'], ['Hi.']) // biome-ignore format: one line

// Responses
const response = (more: Fields = {}): Fields => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'in_progress', model: 'm', output: [] },
  ...more,
})
const message = (text: string): Fields => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
  content: text === '' ? [] : [{ type: 'output_text', text, annotations: [] }],
})
const called = (given: unknown, more: Fields = {}): Fields => ({
  ...{ id: 'fc_1', type: 'function_call', status: 'completed', call_id: 'call_1', name: 'read' },
  ...{ arguments: given, ...more },
})
const hidden: Fields = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'sealed' }
const created: Fields = { type: 'response.created', response: response() }
const added = (item: Fields): Fields => ({ type: 'response.output_item.added', output_index: 0, item })
const done = (item: Fields): Fields => ({ type: 'response.output_item.done', output_index: 0, item })
const said = (text: string): Fields => ({ type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'msg_1', delta: text }) // biome-ignore format: one line
const input = (text: string): Fields => ({ type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'fc_1', delta: text }) // biome-ignore format: one line
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } } // biome-ignore format: one line
const completed = (item: Fields, more: Fields = {}): Fields => ({
  type: 'response.completed',
  response: response({ status: 'completed', output: [item], usage, ...more }),
})
const answer = (item: Fields, more: Fields = {}): Fields =>
  response({ status: 'completed', output: [item], usage, ...more })
const spoken = [created, added(message('')), said('Hi.'), done(message('Hi.'))]
const forwarded = (name: string, sent: ScriptedRow['sent'], others: readonly Expected[], says: readonly string[], own: readonly Expected[] = []): ScriptedRow => ({ api: 'responses', name, sent, others, own, says }) // biome-ignore format: one line

const responses: readonly ScriptedRow[] = [
  forwarded('a clean answer', [...spoken, completed(message('Hi.'))], [], ['Hi.']),
  forwarded('a clean answer, whole', answer(message('Hi.')), [], ['Hi.']),
  forwarded('two beginnings', [created, ...spoken, completed(message('Hi.'))], ['repeated-start'], ['Hi.'], ['repeated-start']),
  forwarded('no beginning', [...spoken.slice(1), completed(message('Hi.'))], ['no-start'], ['Hi.']),
  forwarded('an item that was not announced', [created, said('Hi.'), done(message('Hi.')), completed(message('Hi.'))], ['missing-events'], ['Hi.']),
  forwarded('reasoning that was not announced', [created, done(hidden), ...spoken.slice(1).map((event) => ({ ...event, output_index: 1 })), completed(message('Hi.'), { output: [hidden, message('Hi.')] })], ['missing-events'], ['Hi.']),
  forwarded('a text without deltas', [created, added(message('')), done(message('Hi.')), completed(message('Hi.'))], ['missing-events'], ['Hi.']),
  forwarded('arguments without deltas', [created, added(called('')), done(called('{"path":"a"}')), completed(called('{"path":"a"}'))], ['missing-events'], ['"a"']),
  forwarded('arguments in their last event only', [created, added(called('')), { type: 'response.function_call_arguments.done', output_index: 0, item_id: 'fc_1', arguments: '{"path":"a"}' }, done(called('{"path":"a"}')), completed(called('{"path":"a"}'))], ['missing-events'], ['"a"']),
  forwarded('an item without its end, and not in the last event either', [...spoken.slice(0, 3), completed(message('Hi.'), { output: [] })], ['missing-events'], ['Hi.']),
  forwarded('an item without its end', [...spoken.slice(0, 3), completed(message('Hi.'))], ['missing-events'], ['Hi.']),
  forwarded('a text that ends otherwise', [...spoken.slice(0, 3), done(message('Ho!')), completed(message('Ho!'))], ['other-text'], ['Hi.']),
  forwarded('a text after the end of its item', [...spoken, said('Lost.'), completed(message('Hi.'))], ['output-after-end'], ['Hi.']),
  forwarded('arguments that end otherwise', [created, added(called('')), input('{"path":"b"}'), done(called('{"path":"a"}')), completed(called('{"path":"a"}'))], ['other-arguments'], ['"a"']),
  forwarded('a call without its id', [created, added(called('', { call_id: '' })), input('{"path":"a"}'), done(called('{"path":"a"}', { call_id: '' })), completed(called('{"path":"a"}', { call_id: '' }))], ['no-call-id'], ['"a"'], ['no-call-id']),
  forwarded('a call with the id of its item, whole', answer(called('{"path":"a"}', { call_id: undefined })), ['no-call-id'], ['"a"']),
  forwarded('arguments as an object, whole', answer(called({ path: 'a' })), ['object-arguments'], ['"a"'], ['object-arguments']),
  forwarded('empty arguments, whole', answer(called('', { name: 'list' })), ['empty-arguments'], ['list']),
  forwarded('no status, whole', answer(message('Hi.'), { status: undefined }), ['no-stop-reason'], ['Hi.']),
  forwarded('a status that nobody knows', [...spoken, completed(message('Hi.'), { status: 'tired' })], ['odd-finish'], ['Hi.']),
  forwarded('an answer that was cut off for a reason that nobody knows, whole', answer(message('Hi.'), { status: 'incomplete', incomplete_details: { reason: 'tired' } }), ['odd-finish'], ['Hi.']),
  forwarded('usage with a figure missing, whole', answer(message('Hi.'), { usage: { input_tokens: 1, output_tokens: 1 } }), [], ['Hi.'], ['usage-figures']),
] // biome-ignore format: one line a row

// Gemini
const answered = (parts: Fields[], more: Fields = {}, usage = true): Fields => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  ...(usage ? { usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } } : {}),
  ...{ modelVersion: 'm', responseId: 'r' },
})
const stopped = { finishReason: 'STOP' }
const hi = { text: 'Hi.' }
const reading = (args: unknown, more: Fields = { id: 'fc' }): Fields => ({
  functionCall: { name: 'read', args, ...more },
})
const google = (name: string, sent: ScriptedRow['sent'], others: readonly Expected[], says: readonly string[], own: readonly Expected[] = []): ScriptedRow => ({ api: 'gemini', name, sent, others, own, says }) // biome-ignore format: one line

const gemini: readonly ScriptedRow[] = [
  google('a clean answer', [answered([{ text: 'Hm.', thought: true }]), answered([hi]), answered([reading({ path: 'a' })]), answered([{ text: '' }], stopped)], [], ['Hi.', '"a"']),
  google('a clean answer, whole', answered([hi], stopped), [], ['Hi.']),
  google('calls without ids', [answered([reading({ path: 'a' }, {})]), answered([reading({ path: 'b' }, {})], stopped)], [], ['"a"', '"b"']),
  google('a finish reason that nobody knows', [answered([hi]), answered([{ text: '' }], { finishReason: 'TIRED' })], ['odd-finish'], ['Hi.']),
  google('a part that nobody knows', [answered([hi]), answered([{ hologram: {} }], stopped)], ['odd-part'], ['Hi.']),
  google('text after the end', [answered([hi], stopped), answered([{ text: 'Lost.' }])], ['output-after-end'], ['Hi.'], ['output-after-end']),
  google('arguments as text', [answered([reading('{"path":"a"}')]), answered([{ text: '' }], stopped)], [': doubly encoded arguments were decoded'], ['"a"'], [': doubly encoded arguments were decoded']),
  google('null arguments, whole', answered([reading(null)], stopped), [': null arguments became {}'], ['read'], [': null arguments became {}']),
] // biome-ignore format: one line a row

export const scriptedRows: readonly ScriptedRow[] = [...chat, ...messages, ...responses, ...gemini]

/** Not equal to the first one, so that its place is clear. */
const again: Fields = { ...start, again: true }
const renewed: Fields = { ...created, again: true }
const more = chunk({ content: ' And more.' })
/** Their faults come after the client has seen some of the answer: the header was sent. */
export const lateRows: readonly ScriptedRow[] = [
  { ...chatRow('late', [role, chunk({ content: 'Hi.' }), chatEnd('stop'), more], ['output-after-end'], ['Hi.']), late: more },
  { ...passed('late', [start, ...textBlock(0, 'Hi.'), again, ...end('end_turn')], ['repeated-start'], ['Hi.']), late: again },
  { ...forwarded('late', [...spoken, renewed, completed(message('Hi.'))], ['repeated-start'], ['Hi.']), late: renewed },
] // biome-ignore format: one line a row
