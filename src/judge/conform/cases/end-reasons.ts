import { scriptedCases } from '../case.ts'
import { calls, failed, holds, same, succeeded } from '../judge.ts'
import { everyone } from '../noticed.ts'
import * as anthropic from '../upstream/anthropic.ts'
import type { Play } from '../upstream/played.ts'
import { turn } from '../upstream/turn.ts'
import { github, tools } from './tools.ts'

const ask = { tools }
const pathA = '{"path":"a"}'
const half = '{"path":"b","content":"hal'

const cutOff: Play = (request) =>
  request.kind === 'anthropic' && !request.stream
    ? // A message that is not streamed cannot hold half an input: the service sends what it could parse.
      anthropic.message(
        [
          { type: 'tool_use', id: 'call_a', name: 'read', input: { path: 'a' } },
          { type: 'tool_use', id: 'call_b', name: 'write', input: {} },
        ],
        'max_tokens',
      )
    : turn(
        [
          { call: 'read', id: 'call_a', input: pathA },
          { call: 'write', id: 'call_b', input: half },
        ],
        'length',
      )(request)

export const endReasonCases = scriptedCases('ends', [
  {
    id: 'T10',
    title: 'an answer with calls and finish_reason "stop" ends with tool_calls',
    why: 'the agent stops before it runs the tool',
    noticedBy: ['AI SDK', 'openai SDK', 'Claude Code'],
    link: github('vercel/ai/issues/12218'),
    upstreams: ['openai', 'anthropic'],
    ask,
    play: turn([{ call: 'read', id: 'call_a', input: pathA }], 'stop'),
    judge: (answer) => {
      calls(answer, [['read', { path: 'a' }]])
      same('the reason', answer.finish, 'tool_calls')
    },
  },
  {
    id: 'T10b',
    title: 'an answer with calls ends with tool_calls',
    why: 'the agent does not run them',
    noticedBy: ['AI SDK', 'openai SDK', 'Claude Code'],
    upstreams: ['openai', 'anthropic'],
    ask,
    play: turn([{ text: 'Let me see.' }, { call: 'read', id: 'call_a', input: pathA }], 'tool_calls'),
    judge: (answer) => {
      calls(answer, [['read', { path: 'a' }]])
      same('the reason', answer.finish, 'tool_calls')
      same('the text', answer.text, 'Let me see.')
    },
  },
  {
    id: 'T11',
    title: 'finish_reason tool_calls without a call is an error, not an empty answer',
    why: 'the agent loops forever or stops silently',
    noticedBy: everyone,
    link: github('mastra-ai/mastra/pull/14187'),
    upstreams: ['openai', 'anthropic'],
    failing: true,
    ask,
    play: turn([], 'tool_calls'),
    judge: (answer) => failed(answer),
  },
  {
    id: 'T11b',
    title: 'text with finish_reason tool_calls but no call is kept, with another reason',
    why: 'the agent loops forever, or loses text that was paid for',
    noticedBy: ['AI SDK', 'openai SDK', 'Claude Code'],
    link: github('mastra-ai/mastra/pull/14187'),
    upstreams: ['openai', 'anthropic'],
    ask,
    play: turn([{ text: 'I will read it.' }], 'tool_calls'),
    judge: (answer) => {
      succeeded(answer)
      same('the text', answer.text, 'I will read it.')
      holds(answer.finish !== 'tool_calls', 'a reason other than tool_calls', answer.finish)
    },
  },
  {
    id: 'T12',
    title: 'truncated inside arguments: length, and complete calls are kept',
    why: 'the call counts as complete, and half a file is written',
    noticedBy: everyone,
    link: github('experientiallabs/experiential/issues/758'),
    upstreams: ['openai', 'anthropic'],
    ask,
    play: cutOff,
    judge: (answer) => {
      succeeded(answer)
      same('the reason', answer.finish, 'length')
      same('the first call', [answer.calls[0]?.name, answer.calls[0]?.arguments], ['read', pathA])
    },
  },
  {
    id: 'T12b',
    title: 'truncated inside arguments: the broken call is never sent',
    why: 'clients run it, or store it and every later request is refused',
    noticedBy: ['AI SDK', 'OpenCode', 'openai SDK'],
    link: github('theopenco/llmgateway/pull/2997'),
    upstreams: ['openai', 'anthropic'],
    ask,
    play: cutOff,
    judge: (answer) =>
      same(
        'names of the calls',
        answer.calls.map(({ name }) => name),
        ['read'],
      ),
  },
  {
    id: 'T12c',
    title: 'arguments that are not JSON are an error, never a call',
    why: 'strict upstreams refuse every later request of the conversation',
    noticedBy: everyone,
    link: github('MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/55'),
    upstreams: ['openai', 'anthropic'],
    forms: ['stream'],
    failing: true,
    ask,
    play: turn([{ call: 'write', id: 'call_b', input: half }], 'tool_calls'),
    judge: (answer) => failed(answer),
  },
  {
    id: 'T12d',
    title: 'truncated text ends with length',
    why: 'the agent mistakes half an answer for a complete one',
    noticedBy: everyone,
    upstreams: ['openai', 'anthropic'],
    play: turn([{ text: 'and so' }], 'length'),
    judge: (answer) => {
      succeeded(answer)
      same('reason and text', [answer.finish, answer.text], ['length', 'and so'])
    },
  },
  {
    id: 'T12e',
    title: 'a refusal or content filter is reported',
    why: 'the client gets an empty answer without a reason',
    noticedBy: everyone,
    upstreams: ['openai', 'anthropic'],
    play: turn([{ text: 'I' }], 'content_filter'),
    judge: (answer) => {
      if (answer.reply.status >= 400 || answer.error) return failed(answer)
      same('the reason', answer.finish, 'content_filter')
    },
  },
])
