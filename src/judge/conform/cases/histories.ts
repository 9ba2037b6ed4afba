import { shapesAt } from '../../clients/json.ts'
import { scriptedCases } from '../case.ts'
import { asked, holds, same } from '../judge.ts'
import { says } from '../upstream/turn.ts'
import { accepted, both, called, contains, go, group, result, user } from './request-parts.ts'
import { github, tools } from './tools.ts'

export const historyCases = scriptedCases(group, [
  ...(
    [
      [
        'T20',
        'results in another order than their calls are taken',
        [go, called('call_1', 'call_2'), result('call_2'), result('call_1')],
        undefined,
      ],
      [
        'T20b',
        'text between the results is taken',
        [go, called('call_1', 'call_2'), result('call_1'), user('hurry'), result('call_2')],
        'chat',
      ],
      [
        'T20c',
        'a call whose result is missing is answered for the client',
        [go, called('call_1', 'call_2'), result('call_1'), user('next')],
        'chat',
      ],
      [
        'T20d',
        'a result that belongs to no call does no harm',
        [go, called('call_1'), result('call_1'), result('lost', 'stray'), user('next')],
        'chat',
      ],
      [
        'T20e',
        'a result that comes twice does no harm',
        [go, called('call_1'), result('call_1', 'first'), result('call_1', 'again')],
        'chat',
      ],
    ] as const
  ).map(([id, title, history, door]) => ({
    id,
    title,
    why: 'tool_use ids were found without tool_result blocks: the session can never go on',
    link: github('Zoo-Code-Org/Zoo-Code/pull/1705'),
    upstreams: both,
    ...(door === undefined ? {} : { doors: [door] as const }),
    ask: { tools, messages: history },
    play: says('so'),
    judge: accepted,
  })),
  {
    id: 'T20f',
    title: 'results and what the user said behind them reach the upstream',
    why: 'the model does not know what its tools said',
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
    title: 'a history with calls, but without tools, is taken',
    why: 'titles and summaries of a conversation fail',
    upstreams: both,
    doors: ['chat', 'responses'],
    ask: { messages: [go, called('call_1'), result('call_1'), user('a title for this?')] },
    play: says('so'),
    judge: (answer, context) => {
      accepted(answer, context)
      const { body } = asked(context)
      holds(
        context.upstream === 'openai' || shapesAt(body, 'tools').length > 0,
        'tools beside the tool blocks, which Anthropic insists on',
        body.tools,
      )
    },
  },
  {
    id: 'T7h',
    title: 'empty arguments in the history are taken as {}',
    why: 'one call without arguments, and the session can never go on',
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
    title: 'broken arguments in the history are a 400, or put right: never a 500',
    why: 'one cut-off call, and every request behind it fails without a reason',
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
    why: "String should match '^[a-zA-Z0-9_-]+$': a session that changed its model is lost",
    link: github('musistudio/claude-code-router/issues/1808'),
    upstreams: ['anthropic' as const],
    doors: ['chat' as const, 'responses' as const],
    ask: { tools, messages: [go, called(id), result(id)] },
    play: says('so'),
    judge: accepted,
  })),
  {
    id: 'T21d',
    title: 'ids that conform stay as they are',
    why: 'prompt caches are lost, results are not found',
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
    title: 'ids that come again in a later turn are taken',
    why: 'services that count calls from 0 in each turn: duplicate tool_use ids',
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
