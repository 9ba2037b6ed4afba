import { shapesAt } from '../../clients/json.ts'
import { scriptedCases } from '../case.ts'
import { asked, holds, same } from '../judge.ts'
import { everyone } from '../noticed.ts'
import { says } from '../upstream/turn.ts'
import { accepted, both, called, contains, go, group, result, user } from './request-parts.ts'
import { github, tools } from './tools.ts'

export const historyCases = scriptedCases(group, [
  ...(
    [
      [
        'T20',
        'results in another order than their calls are accepted',
        [go, called('call_1', 'call_2'), result('call_2'), result('call_1')],
        undefined,
      ],
      [
        'T20b',
        'text between the results is accepted',
        [go, called('call_1', 'call_2'), result('call_1'), user('hurry'), result('call_2')],
        'chat',
      ],
      [
        'T20c',
        'a call without a result gets a placeholder result',
        [go, called('call_1', 'call_2'), result('call_1'), user('next')],
        'chat',
      ],
      [
        'T20d',
        'a result without a call does no harm',
        [go, called('call_1'), result('call_1'), result('lost', 'stray'), user('next')],
        'chat',
      ],
      [
        'T20e',
        'a repeated result does no harm',
        [go, called('call_1'), result('call_1', 'first'), result('call_1', 'again')],
        'chat',
      ],
    ] as const
  ).map(([id, title, history, door]) => ({
    id,
    title,
    why: '"tool_use ids were found without tool_result blocks": the session cannot continue',
    noticedBy: everyone,
    link: github('Zoo-Code-Org/Zoo-Code/pull/1705'),
    upstreams: both,
    ...(door === undefined ? {} : { doors: [door] as const }),
    ask: { tools, messages: history },
    play: says('so'),
    judge: accepted,
  })),
  {
    id: 'T20f',
    title: "results and the user's text after them reach the upstream",
    why: 'the model does not see the results of its tools',
    noticedBy: everyone,
    upstreams: both,
    ask: {
      tools,
      messages: [
        go,
        called('call_1', 'call_2'),
        result('call_1', 'alpha'),
        result('call_2', 'beta'),
        user('gamma'),
      ],
    },
    play: says('so'),
    judge: (answer, context) => {
      accepted(answer, context)
      contains(context, 'alpha', 'beta', 'gamma')
    },
  },
  {
    id: 'T20g',
    title: 'a history with calls but no tools is accepted',
    why: 'clients cannot request a title or a summary of a conversation',
    noticedBy: everyone,
    upstreams: both,
    doors: ['chat', 'responses', 'gemini'],
    ask: { messages: [go, called('call_1'), result('call_1'), user('a title for this?')] },
    play: says('so'),
    judge: (answer, context) => {
      accepted(answer, context)
      const { body } = asked(context)
      holds(
        context.upstream === 'openai' || shapesAt(body, 'tools').length > 0,
        'tools, which Anthropic requires if there are tool blocks',
        body.tools,
      )
    },
  },
  {
    id: 'T7h',
    title: 'empty arguments in the history become {}',
    why: 'after one call without arguments the session cannot continue',
    noticedBy: everyone,
    link: github('BerriAI/litellm/issues/5063'),
    upstreams: both,
    doors: ['chat', 'responses'],
    ask: {
      tools,
      messages: [
        go,
        { role: 'assistant', calls: [{ id: 'call_1', name: 'now', arguments: '' }] },
        result('call_1'),
      ],
    },
    play: says('so'),
    judge: accepted,
  },
  {
    id: 'T12h',
    title: 'malformed arguments in the history are repaired or a 400, never a 500',
    why: 'after one truncated call every request fails without a reason',
    noticedBy: everyone,
    link: github('theopenco/llmgateway/pull/2997'),
    upstreams: both,
    doors: ['chat', 'responses'],
    ask: {
      tools,
      messages: [
        go,
        { role: 'assistant', calls: [{ id: 'call_1', name: 'read', arguments: '{"path":' }] },
        result('call_1'),
      ],
    },
    play: says('so'),
    judge: (answer, context) => {
      if (answer.reply.status === 200) return accepted(answer, context)
      holds(
        [400, 422].includes(answer.reply.status),
        'HTTP 400',
        `HTTP ${answer.reply.status}: ${answer.reply.text}`,
      )
    },
  },
  ...(['functions.read:0', `call_${'x'.repeat(90)}`, 'ünicode'] as const).map((id, at_) => ({
    id: `T21${['', 'b', 'c'][at_]}`,
    title: `ids of another service are mapped: ${id.length > 40 ? '95 characters long' : id}`,
    why: "String should match '^[a-zA-Z0-9_-]+$': a session cannot continue on another service",
    noticedBy: everyone,
    link: github('musistudio/claude-code-router/issues/1808'),
    upstreams: ['anthropic' as const],
    doors: ['chat' as const, 'responses' as const, 'gemini' as const],
    ask: { tools, messages: [go, called(id), result(id)] },
    play: says('so'),
    judge: accepted,
  })),
  {
    id: 'T21d',
    title: 'valid ids are not changed',
    why: 'prompt caches miss, and results do not match their calls',
    noticedBy: everyone,
    upstreams: both,
    ask: { tools, messages: [go, called('call_AbC-123_x'), result('call_AbC-123_x')] },
    play: says('so'),
    judge: (answer, context) => {
      accepted(answer, context)
      contains(context, '"call_AbC-123_x"')
    },
  },
  {
    id: 'T21e',
    title: 'ids that repeat in a later turn are accepted',
    why: 'some services count calls from 0 in each turn; others refuse duplicate tool_use ids',
    noticedBy: everyone,
    upstreams: ['anthropic'],
    doors: ['chat'],
    ask: { tools, messages: [go, called('call_0'), result('call_0'), called('call_0'), result('call_0')] },
    play: says('so'),
    judge: (answer, context) => {
      accepted(answer, context)
      const ids = shapesAt(asked(context).body, 'messages').flatMap((message) =>
        shapesAt(message, 'content').flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
      )
      same('distinct ids', new Set(ids).size, 2)
    },
  },
])
