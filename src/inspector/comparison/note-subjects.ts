// What each note is about: the words that rows of a comparison go by. A note that names a field needs no entry.

import type { RepairKind } from '../../core/repairs.ts'
import type { GroupName } from './api.ts'

export interface Subject {
  group: GroupName
  /** Any of them. A word is a kind of unit, a role, a section, a term, or a member of a path. */
  words: readonly string[]
}

const answer = (...words: string[]): Subject => ({ group: 'answer', words })
const request = (...words: string[]): Subject => ({ group: 'request', words })

export const repairSubjects: Record<RepairKind | 'arguments', Subject> = {
  arguments: answer('arguments', 'input', 'args', 'call'),
  'no-call-index': answer('index of calls', 'numbers of calls'),
  'shared-call-index': answer('index of calls', 'numbers of calls', 'ids of calls'),
  'call-index-gap': answer('numbers of calls'),
  'late-call-name': answer('names of calls', 'name'),
  'repeated-call-name': answer('names of calls'),
  'empty-call-name': answer('names of calls'),
  'no-call-id': answer('ids', 'call'),
  'changing-call-id': answer('ids of calls', 'ids'),
  'no-call-type': answer('types of calls', 'call'),
  'object-arguments': answer('arguments'),
  'empty-arguments': answer('arguments', 'input', 'args'),
  'interleaved-calls': answer('pieces of calls', 'ids of calls', 'arguments'),
  'text-inside-call': answer('text'),
  'legacy-call': answer('calls', 'function_call'),
  'no-finish': answer('finish reason'),
  'finish-of-calls': answer('finish reason'),
  'announced-calls': answer('finish reason'),
  'odd-finish': answer('finish reason'),
  'no-done': answer('end of the stream'),
  'output-after-end': answer('output after the end'),
  'whole-message': answer('deltas'),
  'message-beside-delta': answer('deltas'),
  'no-delta': answer('deltas'),
  'content-parts': answer('content', 'text'),
  'odd-part': answer('part', 'text'),
  'not-streamed': answer('how it came'),
  'no-role': answer('role'),
  'repeated-role': answer('role'),
  'no-choice-index': answer('index of the choice', 'index'),
  'no-choices': answer('chunks'),
  'early-chunk': answer('first chunk', 'chunks'),
  'no-answer-id': answer('id', 'id of chunks'),
  'changing-answer-id': answer('id of chunks'),
  'no-created': answer('time', 'created of chunks'),
  'changing-created': answer('created of chunks'),
  'no-model': answer('model', 'model of chunks'),
  'no-object': answer('object', 'object of chunks'),
  'usage-place': answer('usage'),
  'reasoning-field': answer('reasoning', 'reasoning_content'),
  'repeated-start': answer('beginnings', 'message_start'),
  'no-start': answer('beginnings', 'message_start'),
  'no-stop-reason': answer('finish reason', 'last event'),
  'open-block': answer('ends of blocks'),
  'stray-delta': answer('deltas', 'events of items'),
  'missing-events': answer('items in the last event', 'events of items', 'last event', 'beginnings'),
  'other-text': answer('ends of texts', 'text'),
  'other-arguments': answer('ends of texts', 'arguments'),
  'no-event-names': answer('names of events'),
  'no-output': answer('items in the last event', 'output'),
  'usage-figures': answer('usage', 'all tokens', 'input tokens', 'output tokens', 'tokens of reasoning', 'tokens read from the cache'),
} // biome-ignore format: one line a kind

/** Notes about a call that was passed on as it is. */
export const callRemark = /^the model called |do not fit its schema/

const calls = answer('call', 'arguments', 'name')
const toolsAsked = request('tool')
const results = request('result')
const effort = request(
  'reasoning effort',
  'thinking',
  'thinking budget',
  'reasoning',
  'output_config',
  'enable_thinking',
  'parameters',
  'maxMode',
)

/** The first that fits; its subjects in the order in which they are looked for. */
export const noteSubjects: readonly (readonly [RegExp, ...Subject[]])[] = [
  // The conversation.
  [/^an empty \w+ message was left out/, request('empty', 'text')],
  [/^(?:tool results were moved|of two results|several outputs of one)/, results, request('text')],
  [/^a tool call without a result|^a tool result (?:without its call|over)/, request('result', 'text')],
  [/^a repeated tool call id/, request('call', 'result'), calls],
  [/^a system message inside/, request('system'), request('text')],
  [/^(?:a|an|the) [\w ]*(?:user|assistant) message was added|was added as a user message/, request('text', 'empty')],
  [/^the oldest \d+ of|^\d+ (?:earlier )?turns? (?:was|were)/, request('text', 'call', 'result', 'empty')],
  [/^messages of other agents|^what the user said beside|^text that looks like the markup/, request('text', 'result', 'part')],
  [/^legacy function_call/, request('call', 'function_call')],
  [/^the name of messages/, request('name')],
  [/^(?:items|blocks|parts) of type|^encrypted content|^audio|^an (?:image|attached)|^\d+ images|^image detail/, request('part', 'image', 'text', 'result', 'detail')],
  [/^numbers reach Cursor as doubles/, request('tool', 'call')],
  [/thought signatures? of (?:an )?earlier tool call/, request('thoughtSignature', 'call')],
  [/thought_signature/, request('extra_content', 'thought_signature', 'call')],
  [/^the upstream left out earlier thinking/, answer('context_management', 'applied_edits', 'thinking', 'diagnostics', 'part')],
  [/^(?:the reasoning of earlier|earlier thinking|encrypted reasoning|thinking was left out)|_content of messages was sent as|^reasoning of messages was sent/, request('reasoning')],
  // The tools.
  [/^(?:custom tools|the grammar of a custom|tools of a namespace|legacy functions|schemas of tools|strict |only the tool|tool type|tool names)|tools are deferred|^the gateway's own tools/, toolsAsked, request('tools', 'call', 'tool choice')],
  [/^tool_choice|cannot be forced to call/, request('tool choice', 'system'), request('text')],
  // The settings.
  [/^thinking|cannot stop thinking|leaves no room|effort|answers without reasoning/, effort, request('model')],
  [/^response_format|has no JSON mode/, request('response format', 'system'), request('text')],
  [/output limit|^max_(?:completion_|output_)?tokens/, request('output limit')],
  [/stop sequences/, request('stop')],
  [/^(?:user was left out|the id of the user)/, request('user')],
  [/cache_control/, request('cache_control')],
  [/^the model ".*" was read as|^there is no model|^max mode is on/, request('model', 'modelDetails', 'requestedModel', 'maxMode')],
  [/, so \S{1,200} was asked| while its tool loop is open$|: the tool loop left /, request('model')],
  [/^previous_response_id/, request('previous_response_id')],
  // The headers.
  [/anthropic-beta/, { group: 'headers', words: ['anthropic-beta'] }],
  [/^the service does not run without/, { group: 'headers', words: ['x-cursor-agent-allowed-tools', 'x-cursor-agent-excluded-tools'] }],
  [/^x-dragoman-/, { group: 'headers', words: ['x-dragoman-record'] }],
  // The answer.
  [/^a web (?:search|fetch) failed|^web (?:search|fetch) by the gateway/, answer('call', 'result', 'part', 'web_search_call', 'text'), toolsAsked],
  [/^citations/, answer('citations')],
  [/^the tool ".*" was read as|^\S+: |^a call of /, calls, answer('text')],
  [/^a (?:tool )?call|^text beside|^the (?:model made up|answer was cut)|^escaped markup|second (?:try|answer)|asked again|^a required/, calls, answer('text', 'finish reason')],
] // biome-ignore format: one line a note
