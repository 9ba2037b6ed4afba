import { scriptedCases } from '../case.ts'
import { calls, failed, noViolation, same, succeeded } from '../judge.ts'
import { everyone, ruleNoticed } from '../noticed.ts'
import * as anthropic from '../upstream/anthropic.ts'
import * as openai from '../upstream/openai.ts'
import { turn } from '../upstream/turn.ts'
import { ask, blocks, chunked, pathA } from './call-parts.ts'
import { github } from './tools.ts'

const serverTool = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search' }
const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }

export const callNumberingCases = scriptedCases('calls', [
  {
    id: 'T1',
    title: 'argument deltas of a block that is not a tool call are dropped',
    why: 'a call with index -1 and no name crashes the client',
    noticedBy: ['AI SDK', 'OpenCode'],
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
    title: 'tool deltas without an index become calls with an index',
    why: 'clients fail with "expected number, got undefined" or drop the calls',
    noticedBy: ['OpenCode', 'openai SDK'],
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
    why: 'the first call has index 1: the list has a gap, and the call is lost',
    noticedBy: ruleNoticed.index,
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
    title: 'parallel calls that all have index 0 stay separate',
    why: 'their arguments are joined, the history becomes invalid, and the agent stops silently',
    noticedBy: everyone,
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
    title: 'joined arguments are separated or an error',
    why: 'a call whose arguments are not JSON fails in the client, and so does every later turn',
    noticedBy: everyone,
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
    title: 'interleaved deltas of parallel calls reach the right call',
    why: 'arguments of one call end up in another',
    // The Anthropic SDK adds deltas to a block that has ended; clients that act on each block do not.
    noticedBy: ['AI SDK', 'OpenCode', 'openai SDK', 'Codex', 'Claude Code'],
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
    title: 'a name repeated in every delta is not appended',
    why: 'the tool is called searchsearchsearch, which does not exist',
    noticedBy: everyone,
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
