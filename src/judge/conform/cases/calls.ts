// T1 to T9: what upstreams make of tool calls, and the calls that a client must see all the same.

import { parsed } from '../../clients/json.ts'
import { type Case, scriptedCases } from '../case.ts'
import { calls, failed, holds, noViolation, same, succeeded } from '../judge.ts'
import * as anthropic from '../upstream/anthropic.ts'
import * as openai from '../upstream/openai.ts'
import type { Play } from '../upstream/played.ts'
import { turn } from '../upstream/turn.ts'
import { github, tools } from './tools.ts'

const ask = { tools }

/** Chunks to who streams; whole, the calls as they should be. */
const chunked =
  (pieces: readonly string[], whole: readonly [string, string, string][], finish = 'tool_calls'): Play =>
  ({ stream }) =>
    stream
      ? openai.chunks(pieces, finish)
      : openai.completion({ tool_calls: whole.map((call) => openai.call(...call)) }, finish)

const blocks =
  (pieces: readonly string[], whole: Parameters<typeof anthropic.message>[0], stop = 'tool_use'): Play =>
  ({ stream }) =>
    stream ? anthropic.events(pieces, stop) : anthropic.message(whole, stop)

const use = (id: string, name: string, input: Record<string, unknown>) => ({
  type: 'tool_use',
  id,
  name,
  input,
})

const serverTool = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search' }
const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }

const pathA = '{"path":"a"}'
const exact = '{"path":"naïve \\"quotes\\" \\\\ 🙂","content":"a\\nb\\u00e9 {[}]"}'
const digits = '{"path":"a","content":"x","size":12345678901234567890,"ratio":1.0}'
const big = JSON.stringify({ path: 'a', content: 'line of text, "quoted" 🙂\n'.repeat(8_000) })

const numbering = scriptedCases('calls', [
  {
    id: 'T1',
    title: 'arguments of a block that is no tool call show nothing',
    why: 'a call with index -1 and no name crashes the client',
    link: github('BerriAI/litellm/issues/15884'),
    upstreams: ['anthropic'],
    ask,
    play: blocks(
      [
        anthropic.blockStart(0, { ...serverTool, input: {} }),
        anthropic.partialJson(0, '{"query":"x"}'),
        anthropic.blockStop(0),
        anthropic.blockStart(1, found),
        anthropic.partialJson(1, ''),
        anthropic.blockStop(1),
        anthropic.blockStart(2, { type: 'text', text: '' }),
        anthropic.blockDelta(2, { type: 'text_delta', text: 'found' }),
        anthropic.blockStop(2),
      ],
      [{ ...serverTool, input: { query: 'x' } }, found, { type: 'text', text: 'found' }],
      'end_turn',
    ),
    judge: (answer) => {
      succeeded(answer)
      same('the calls', answer.calls, [])
      noViolation(answer, 'index')
      same('the text', answer.text, 'found')
    },
  },
  {
    id: 'T2',
    title: 'tool deltas without index become numbered calls',
    why: 'clients want a number: "expected number, got undefined", or the calls are dropped',
    link: github('router-for-me/CLIProxyAPI/pull/27'),
    upstreams: ['openai'],
    forms: ['stream'],
    ask,
    play: chunked(
      [
        openai.callStart(undefined, 'call_a', 'read', '{"path":'),
        openai.callDelta({ function: { arguments: '"a"}' } }),
        openai.callStart(undefined, 'call_b', 'read', '{"path":"b"}'),
      ],
      [],
    ),
    judge: (answer) => {
      noViolation(answer, 'index')
      calls(answer, [
        ['read', { path: 'a' }],
        ['read', { path: 'b' }],
      ])
    },
  },
  {
    id: 'T3',
    title: 'the index counts calls, not content blocks',
    why: 'the first call has index 1: a hole in the list, the call is lost',
    link: github('agentgateway/agentgateway/issues/2965'),
    upstreams: ['anthropic', 'openai'],
    ask,
    play: turn(
      [
        { think: 'hm' },
        { text: 'first' },
        { call: 'read', id: 'call_a', input: pathA },
        { text: 'then' },
        { call: 'read', id: 'call_b', input: '{"path":"b"}' },
      ],
      'tool_calls',
    ),
    judge: (answer) => {
      noViolation(answer, 'index')
      calls(answer, [
        ['read', { path: 'a' }],
        ['read', { path: 'b' }],
      ])
      same('the text', answer.text, 'firstthen')
    },
  },
  {
    id: 'T4',
    title: 'parallel calls that all say index 0 stay apart',
    why: 'their arguments run together, the history is poisoned, the agent stops without a word',
    link: github('mcowger/plexus/issues/691'),
    upstreams: ['openai'],
    forms: ['stream'],
    ask,
    play: chunked(
      ['a', 'b', 'c'].map((path) => openai.callStart(0, `call_${path}`, 'read', `{"path":"${path}"}`)),
      [],
    ),
    judge: (answer) =>
      calls(answer, [
        ['read', { path: 'a' }],
        ['read', { path: 'b' }],
        ['read', { path: 'c' }],
      ]),
  },
  {
    id: 'T4b',
    title: 'arguments that were run together are separated, or an error',
    why: 'a call whose arguments are no JSON fails the client, and every turn behind it',
    link: github('su-kaka/gcli2api/pull/406'),
    upstreams: ['openai'],
    ask,
    play: chunked(
      [openai.callStart(0, 'call_a', 'read', `${pathA}{"path":"b"}`)],
      [['call_a', 'read', `${pathA}{"path":"b"}`]],
    ),
    failing: true,
    judge: (answer) => {
      if (answer.reply.status !== 200 || answer.error) return failed(answer)
      calls(answer, [
        ['read', { path: 'a' }],
        ['read', { path: 'b' }],
      ])
    },
  },
  {
    id: 'T5',
    title: 'interleaved deltas of parallel calls are sorted',
    why: 'arguments of one call end up in the other',
    link: github('maximhq/bifrost/issues/1829'),
    upstreams: ['openai'],
    forms: ['stream'],
    ask,
    play: chunked(
      [
        openai.callStart(0, 'call_a', 'read'),
        openai.callStart(1, 'call_b', 'write'),
        openai.callMore(0, '{"path":'),
        openai.callMore(1, '{"path":"b",'),
        openai.callMore(0, '"a"}'),
        openai.callMore(1, '"content":"x"}'),
      ],
      [],
    ),
    judge: (answer) =>
      calls(answer, [
        ['read', { path: 'a' }],
        ['write', { path: 'b', content: 'x' }],
      ]),
  },
  {
    id: 'T5b',
    title: 'a name that is repeated in every delta is not appended',
    why: 'the tool is called searchsearchsearch, which does not exist',
    link: github('maximhq/bifrost/issues/1829'),
    upstreams: ['openai'],
    forms: ['stream'],
    ask,
    play: chunked(
      ['{"path', '":"a', '"}'].map((text) => openai.callStart(0, 'call_a', 'read', text)),
      [],
    ),
    judge: (answer) => calls(answer, [['read', { path: 'a' }]]),
  },
])

const contents = scriptedCases('calls', [
  {
    id: 'T6',
    title: 'an empty object in front of the arguments is no argument',
    why: 'the client holds {}{"city":"X"}, which is no JSON',
    link: github('BerriAI/litellm/issues/4537'),
    upstreams: ['anthropic', 'openai'],
    ask,
    play: (request) =>
      request.kind === 'anthropic'
        ? turn([{ call: 'read', id: 'toolu_1', input: pathA }], 'tool_calls')(request)
        : chunked(
            [openai.callStart(0, 'call_a', 'read', '{}'), openai.callMore(0, pathA)],
            [['call_a', 'read', pathA]],
          )(request),
    judge: (answer) => calls(answer, [['read', { path: 'a' }]]),
  },
  {
    id: 'T6b',
    title: 'an input that stands in the block start counts when no delta follows',
    why: 'the call comes without its arguments',
    link: github('openai/openai-agents-js/pull/712'),
    upstreams: ['anthropic'],
    forms: ['stream'],
    ask,
    play: blocks([anthropic.toolStart(0, 'toolu_1', 'read', { path: 'a' }), anthropic.blockStop(0)], []),
    judge: (answer) => calls(answer, [['read', { path: 'a' }]]),
  },
  {
    id: 'T7',
    title: 'a tool without arguments gets {}',
    why: 'JSON.parse("") throws in the client',
    link: github('BerriAI/litellm/issues/5063'),
    upstreams: ['anthropic', 'openai'],
    ask,
    play: ({ kind, stream, body }) =>
      kind === 'anthropic'
        ? blocks(
            [anthropic.toolStart(0, 'toolu_1', 'now'), anthropic.blockStop(0)],
            [use('toolu_1', 'now', {})],
          )({ kind, stream, body })
        : chunked(
            [openai.callStart(0, 'call_a', 'now', '')],
            [['call_a', 'now', '']],
          )({ kind, stream, body }),
    judge: (answer) => calls(answer, [['now', {}]]),
  },
  {
    id: 'T7b',
    title: 'an empty argument delta is {} too',
    why: 'JSON.parse("") throws in the client',
    link: github('Kilo-Org/cloud/pull/4753'),
    upstreams: ['anthropic', 'openai'],
    forms: ['stream'],
    ask,
    play: (request) =>
      request.kind === 'anthropic'
        ? blocks(
            [anthropic.toolStart(0, 'toolu_1', 'now'), anthropic.partialJson(0, ''), anthropic.blockStop(0)],
            [],
          )(request)
        : chunked([openai.callStart(0, 'call_a', 'now'), openai.callMore(0, '')], [])(request),
    judge: (answer) => calls(answer, [['now', {}]]),
  },
  {
    id: 'T8',
    title: 'arguments in many fragments arrive as the same bytes',
    why: 'a file is written with other text than the model wrote',
    link: github('vercel/ai/issues/13137'),
    upstreams: ['anthropic', 'openai'],
    ask,
    play: turn([{ call: 'write', id: 'call_a', input: exact }], 'tool_calls', { cuts: 19 }),
    judge: (answer) => {
      calls(answer, [['write', parsed(exact)]])
      if (answer.form === 'stream') same('the arguments', answer.calls[0]?.arguments, exact)
    },
  },
  {
    id: 'T8b',
    title: 'numbers in arguments keep their digits',
    why: 'ids beyond 2^53 are rounded: the tool acts on something else',
    upstreams: ['anthropic', 'openai'],
    forms: ['stream'],
    ask,
    play: turn([{ call: 'write', id: 'call_a', input: digits }], 'tool_calls', { cuts: 5 }),
    judge: (answer) => {
      succeeded(answer)
      same('the arguments', answer.calls[0]?.arguments, digits)
    },
  },
  {
    id: 'T8c',
    title: 'arguments of 200 KB arrive whole',
    why: 'a large file is cut off in the middle',
    upstreams: ['anthropic', 'openai'],
    ask,
    play: turn([{ call: 'write', id: 'call_a', input: big }], 'tool_calls', { cuts: 200 }),
    judge: (answer) => {
      succeeded(answer)
      same('the calls', answer.calls.length, 1)
      same('length of the arguments', String(answer.calls[0]?.arguments).length, big.length)
      holds(answer.calls[0]?.arguments === big, 'the same text', 'another text of the same length')
    },
  },
  {
    id: 'T8d',
    title: 'twenty parallel calls, none lost, in their order',
    why: 'the agent waits for results of calls that it never made',
    upstreams: ['anthropic', 'openai'],
    ask,
    play: turn(
      Array.from({ length: 20 }, (_, at) => ({ call: 'read', id: `call_${at}`, input: `{"path":"${at}"}` })),
      'tool_calls',
    ),
    judge: (answer) => {
      calls(
        answer,
        Array.from({ length: 20 }, (_, at) => ['read', { path: String(at) }] as const),
      )
      noViolation(answer, 'index')
    },
  },
])

const late = (first: unknown): Play =>
  chunked(
    [
      openai.callDelta({
        index: 0,
        id: 'call_a',
        type: 'function',
        function: { ...(first === undefined ? {} : { name: first }), arguments: '{"path":' },
      }),
      openai.callDelta({ index: 0, function: { name: 'read', arguments: '"a"}' } }),
      openai.callDelta({ index: 0, function: { name: null, arguments: '' } }),
    ],
    [],
  )

const names = scriptedCases('calls', [
  ...(
    [
      ['T9', 'is missing', undefined],
      ['T9b', 'is null', null],
      ['T9c', 'is empty', ''],
    ] as const
  ).map(([id, how, first]) => ({
    id,
    title: `a name that ${how} in the first delta is waited for`,
    why: 'Expected "function.name" to be a string: the stream fails',
    link: github('anomalyco/opencode/issues/24137'),
    upstreams: ['openai' as const],
    forms: ['stream' as const],
    ask,
    play: late(first),
    judge: (answer: Parameters<typeof calls>[0]) => {
      calls(answer, [['read', { path: 'a' }]])
      noViolation(answer, 'call')
    },
  })),
  {
    id: 'T9d',
    title: 'a call that never gets a name is an error, no call',
    why: 'a call of no tool cannot be answered',
    link: github('bitrouter/bitrouter/issues/560'),
    upstreams: ['openai'],
    failing: true,
    ask,
    play: ({ stream }) => {
      const nameless = { id: 'call_a', type: 'function', function: { arguments: '{}' } }
      return stream
        ? openai.chunks([openai.callDelta({ index: 0, ...nameless })], 'tool_calls')
        : openai.completion({ tool_calls: [nameless] }, 'tool_calls')
    },
    judge: (answer) => failed(answer),
  },
  {
    id: 'T9e',
    title: 'calls with an empty id get one of their own',
    why: 'results cannot be told apart, or are refused',
    upstreams: ['openai'],
    ask,
    play: chunked(
      [openai.callStart(0, '', 'read', pathA), openai.callStart(1, '', 'read', '{"path":"b"}')],
      [
        ['', 'read', pathA],
        ['', 'read', '{"path":"b"}'],
      ],
    ),
    judge: (answer) => {
      calls(answer, [
        ['read', { path: 'a' }],
        ['read', { path: 'b' }],
      ])
      holds(
        answer.calls.every(({ id }) => id !== ''),
        'ids that are not empty',
        answer.calls,
      )
    },
  },
])

export const callCases: readonly Case[] = [...numbering, ...contents, ...names]
