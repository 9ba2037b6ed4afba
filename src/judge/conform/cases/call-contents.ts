// T6 to T9: arguments, names and ids of tool calls that upstreams write in odd ways.

import { parsed } from '../../clients/json.ts'
import { type Case, scriptedCases } from '../case.ts'
import { calls, failed, holds, noViolation, same, succeeded } from '../judge.ts'
import { everyone } from '../noticed.ts'
import * as anthropic from '../upstream/anthropic.ts'
import * as openai from '../upstream/openai.ts'
import type { Play } from '../upstream/played.ts'
import { turn } from '../upstream/turn.ts'
import { ask, blocks, chunked, pathA, use } from './call-parts.ts'
import { github } from './tools.ts'

const exact = '{"path":"naïve \\"quotes\\" \\\\ 🙂","content":"a\\nb\\u00e9 {[}]"}'
const digits = '{"path":"a","content":"x","size":12345678901234567890,"ratio":1.0}'
const big = JSON.stringify({ path: 'a', content: 'line of text, "quoted" 🙂\n'.repeat(8_000) })

const contentCases = scriptedCases('calls', [
  {
    id: 'T6',
    title: 'an empty object before the arguments is dropped',
    why: 'the client gets {}{"city":"X"}, which is not JSON',
    noticedBy: everyone,
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
    title: 'the input of a block start is used if no delta follows',
    why: 'the call loses its arguments',
    noticedBy: everyone,
    link: github('openai/openai-agents-js/pull/712'),
    upstreams: ['anthropic'],
    forms: ['stream'],
    ask,
    play: blocks([anthropic.toolStart(0, 'toolu_1', 'read', { path: 'a' }), anthropic.blockStop(0)], []),
    judge: (answer) => calls(answer, [['read', { path: 'a' }]]),
  },
  {
    id: 'T7',
    title: 'a call without arguments gets {}',
    why: 'JSON.parse("") throws in the client',
    noticedBy: ['OpenCode', 'openai SDK'],
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
    title: 'a call whose only argument delta is empty gets {}',
    why: 'JSON.parse("") throws in the client',
    noticedBy: ['OpenCode', 'openai SDK'],
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
    title: 'arguments in many fragments arrive byte for byte',
    why: 'the file differs from what the model wrote',
    noticedBy: everyone,
    link: github('vercel/ai/issues/13137'),
    upstreams: ['anthropic', 'openai'],
    ask,
    play: turn([{ call: 'write', id: 'call_a', input: exact }], 'tool_calls', { cuts: 19 }),
    judge: (answer, { door }) => {
      calls(answer, [['write', parsed(exact)]])
      // Gemini's arguments are JSON, not text.
      if (answer.form === 'stream' && door.name !== 'gemini')
        same('the arguments', answer.calls[0]?.arguments, exact)
    },
  },
  {
    id: 'T8b',
    title: 'numbers in arguments keep their digits',
    why: 'ids above 2^53 are rounded: the tool acts on the wrong object',
    noticedBy: everyone,
    upstreams: ['anthropic', 'openai'],
    forms: ['stream'],
    ask,
    play: turn([{ call: 'write', id: 'call_a', input: digits }], 'tool_calls', { cuts: 5 }),
    judge: (answer, { door }) => {
      succeeded(answer)
      if (door.name === 'gemini')
        return holds(answer.reply.text.includes('12345678901234567890'), 'all digits', answer.reply.text)
      same('the arguments', answer.calls[0]?.arguments, digits)
    },
  },
  {
    id: 'T8c',
    title: 'arguments of 200 KB arrive complete',
    why: 'a large file is truncated',
    noticedBy: everyone,
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
    title: 'twenty parallel calls arrive complete and in order',
    why: 'calls are lost or run in the wrong order',
    noticedBy: everyone,
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

const nameCases = scriptedCases('calls', [
  ...(
    [
      ['T9', 'is missing', undefined],
      ['T9b', 'is null', null],
      ['T9c', 'is empty', ''],
    ] as const
  ).map(([id, how, first]) => ({
    id,
    title: `a name that ${how} in the first delta is awaited`,
    why: 'Expected "function.name" to be a string: the stream fails',
    noticedBy: ['AI SDK' as const, 'OpenCode' as const, 'openai SDK' as const],
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
    title: 'a call without a name is an error, not a call',
    why: 'a client cannot answer a call of no tool',
    noticedBy: everyone,
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
    title: 'calls with an empty id get unique ids',
    why: 'results are mixed up or refused',
    noticedBy: ['AI SDK', 'OpenCode', 'Claude Code'],
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

export const callContentCases: readonly Case[] = [...contentCases, ...nameCases]
