// T18 to T23, T40, T41: what clients send, and what of it must reach the upstream, in a form that the upstream takes.

import type { Answer, Message, PastCall } from '../../clients/answer.ts'
import { at, isShape, type Shape, shapesAt, textAt } from '../../clients/json.ts'
import { type Case, type Context, NotJudged, scriptedCases } from '../case.ts'
import { acceptable, asked, calls, holds, includes, same, succeeded } from '../judge.ts'
import type { UpstreamKind } from '../upstream/played.ts'
import { says, turn } from '../upstream/turn.ts'
import { github, read, tools } from './tools.ts'

const both = ['openai', 'anthropic'] as const
const group = 'requests'

const go: Message = { role: 'user', text: 'go' }
const called = (...ids: string[]): Message => ({
  role: 'assistant',
  calls: ids.map((id): PastCall => ({ id, name: 'read', arguments: `{"path":"${id.slice(0, 4)}"}` })),
})
const result = (id: string, text = `result of ${id}`): Message => ({ role: 'result', id, text })
const user = (text: string): Message => ({ role: 'user', text })

const said = (context: Context) => JSON.stringify(asked(context).body)

/** Taken by the gateway, and by the upstream behind it. */
function taken(answer: Answer, context: Context): void {
  succeeded(answer)
  acceptable(context)
}

const contains = (context: Context, ...texts: string[]) => {
  for (const text of texts)
    holds(said(context).includes(text), `"${text}" in the request to the upstream`, said(context))
}

const histories = scriptedCases(group, [
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
    judge: taken,
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
      taken(answer, context)
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
      taken(answer, context)
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
    judge: taken,
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
      if (answer.reply.status === 200) return taken(answer, context)
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
    judge: taken,
  })),
  {
    id: 'T21d',
    title: 'ids that conform stay as they are',
    why: 'prompt caches are lost, results are not found',
    upstreams: both,
    ask: { tools, messages: [go, called('call_AbC-123_x'), result('call_AbC-123_x')] },
    play: says('so'),
    judge: (answer, context) => {
      taken(answer, context)
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
      taken(answer, context)
      const ids = shapesAt(asked(context).body, 'messages').flatMap((message) =>
        shapesAt(message, 'content').flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
      )
      same('distinct ids', new Set(ids).size, 2)
    },
  },
])

const schemaOf = (kind: UpstreamKind | undefined, body: Shape): unknown =>
  kind === 'openai' ? at(body, 'tools', 0, 'function', 'parameters') : at(body, 'tools', 0, 'input_schema')

const choiceOf = (kind: UpstreamKind | undefined, body: Shape): string =>
  kind === 'openai'
    ? textAt(body, 'tool_choice') || textAt(body, 'tool_choice', 'function', 'name')
    : textAt(body, 'tool_choice', 'name') || textAt(body, 'tool_choice', 'type')

const manyKinds = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Where', minLength: 1 },
    mode: { enum: ['a', 'b'], default: 'a' },
    lines: { type: 'array', items: { type: 'integer', minimum: 0 } },
    either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    nested: { type: 'object', properties: { x: { type: 'number' } }, additionalProperties: false },
  },
  required: ['path'],
}

const settings = scriptedCases(group, [
  {
    id: 'U3',
    title: "a tool's name, description and schema reach the upstream",
    why: 'the model makes arguments up',
    upstreams: both,
    ask: { tools: [{ ...read, schema: manyKinds }] },
    play: says('so'),
    judge: (answer, context) => {
      taken(answer, context)
      contains(context, '"read"', 'Read a file.')
      includes('the schema', schemaOf(context.upstream, asked(context).body), manyKinds)
    },
  },
  ...(
    [
      ['U4', 'required', 'required', ['required', 'any']],
      ['U4b', 'one tool by name', { name: 'read' }, ['read']],
      ['U4c', 'none', 'none', ['none']],
    ] as const
  ).map(([id, how, choice, wanted]) => ({
    id,
    title: `tool_choice: ${how}, as the upstream says it`,
    why: 'the model calls another tool, or none, or one that it must not',
    upstreams: both,
    ask: { tools, choice },
    play: says('so'),
    judge: (answer: Answer, context: Context) => {
      taken(answer, context)
      const { body } = asked(context)
      // Without tools, none can be called.
      if (choice === 'none' && shapesAt(body, 'tools').length === 0) return
      const found = choiceOf(context.upstream, body)
      holds(
        (wanted as readonly string[]).includes(found),
        `tool_choice ${wanted.join(' or ')}`,
        body.tool_choice,
      )
    },
  })),
  {
    id: 'U5',
    title: 'the system prompt reaches the upstream',
    why: 'the agent forgets who it is',
    upstreams: both,
    ask: { messages: [{ role: 'system', text: 'Answer as a pirate.' }, user('hello')] },
    play: says('arr'),
    judge: (answer, context) => {
      taken(answer, context)
      contains(context, 'Answer as a pirate.')
    },
  },
  {
    id: 'U6',
    title: 'the limit of tokens reaches the upstream',
    why: 'answers cost more than allowed, or are cut off early',
    upstreams: both,
    ask: { maxTokens: 321 },
    play: says('so'),
    judge: (answer, context) => {
      taken(answer, context)
      const { body } = asked(context)
      same('the limit', body.max_tokens ?? body.max_completion_tokens, 321)
    },
  },
  {
    id: 'U6b',
    title: 'a limit of tokens that the client does not give is given to an upstream that insists on one',
    why: '"max_tokens: Field required"',
    upstreams: ['anthropic'],
    doors: ['chat', 'responses'],
    play: says('so'),
    judge: (answer, context) => {
      succeeded(answer)
      holds(Number(asked(context).body.max_tokens) > 0, 'max_tokens', 'none')
    },
  },
  {
    id: 'U7',
    title: 'a temperature of 0 is not lost',
    why: '0 is taken for "not set": answers vary',
    upstreams: both,
    ask: { more: { temperature: 0 } },
    play: says('so'),
    judge: (answer, context) => {
      taken(answer, context)
      same('the temperature', asked(context).body.temperature, 0)
    },
  },
])

const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } }
const toolResult = { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'alpha' }] }
const patch = { type: 'custom', name: 'ApplyPatch', description: 'Edit files.' }
const patchText = '*** Begin Patch\n"x"\n'
const flat = { type: 'function', name: 'read', parameters: read.schema }
const bare = { name: 'read', description: 'Read a file.', input_schema: read.schema }

const dialects = scriptedCases(group, [
  {
    id: 'T18',
    title: "blocks of Anthropic's dialect on Chat's route (Cursor IDE)",
    why: '"user messages must have non-empty content"',
    link: github('automazeio/vibeproxy/issues/411'),
    upstreams: both,
    doors: ['chat'],
    ask: ({ mark }) => ({
      tools,
      messages: [
        {
          role: 'raw',
          items: [
            { role: 'user', content: `go ${mark}` },
            { role: 'assistant', content: [toolUse] },
            { role: 'user', content: [toolResult, { type: 'text', text: 'and now?' }] },
          ],
        },
      ],
    }),
    play: says('so'),
    judge: (answer, context) => {
      taken(answer, context)
      contains(context, 'toolu_1', 'alpha', 'and now?')
    },
  },
  {
    id: 'T18b',
    title: "tools and tool_choice of Anthropic's dialect on Chat's route (Cursor IDE)",
    why: 'the tools are lost, or refused',
    link: github('router-for-me/CLIProxyAPI/issues/3805'),
    upstreams: both,
    doors: ['chat'],
    ask: { more: { tools: [bare], tool_choice: { type: 'tool', name: 'read' } } },
    play: turn([{ call: 'read', id: 'call_a', input: '{"path":"a"}' }], 'tool_calls'),
    judge: (answer, context) => {
      taken(answer, context)
      calls(answer, [['read', { path: 'a' }]])
      includes('the schema', schemaOf(context.upstream, asked(context).body), read.schema)
      same('tool_choice', choiceOf(context.upstream, asked(context).body), 'read')
    },
  },
  {
    id: 'T19',
    title: "a body of Responses on Chat's route is answered by Chat (Cursor IDE)",
    why: '"messages is required"',
    link: github('BerriAI/litellm/pull/34029'),
    upstreams: both,
    doors: ['chat'],
    ask: ({ mark }) => ({
      more: {
        messages: undefined,
        input: [{ role: 'user', content: [{ type: 'input_text', text: `read a ${mark}` }] }],
        tools: [flat],
      },
    }),
    play: turn([{ call: 'read', id: 'call_a', input: '{"path":"a"}' }], 'tool_calls'),
    judge: (answer, context) => {
      taken(answer, context)
      calls(answer, [['read', { path: 'a' }]])
    },
  },
  {
    id: 'T40',
    title: 'a custom tool of Responses is offered, and its call comes back as one',
    why: 'Codex and Cursor cannot edit files',
    link: github('BerriAI/litellm/pull/34029'),
    upstreams: both,
    doors: ['responses'],
    ask: { more: { tools: [patch] } },
    play: turn(
      [{ call: 'ApplyPatch', id: 'call_a', input: JSON.stringify({ input: patchText }) }],
      'tool_calls',
    ),
    judge: (answer, context) => {
      taken(answer, context)
      same(
        'the call',
        answer.calls.map(({ name, arguments: text }) => [name, text]),
        [['ApplyPatch', patchText]],
      )
      same(
        'the kind of the item',
        answer.echo.map((item) => at(item, 'type')),
        ['custom_tool_call'],
      )
    },
  },
])

const thinkingFor = {
  chat: { reasoning_effort: 'low' },
  messages: { thinking: { type: 'enabled', budget_tokens: 1_024 }, max_tokens: 4_096 },
  responses: { reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'] },
}
const signature = 'c2lnbmVkLWJ5LWNvbmZvcm0='

/** Two turns: the model thinks and calls; the client answers, carrying what its dialect can carry. */
const thinking: Case = {
  id: 'T22',
  group,
  title: 'signed thinking comes back to the upstream beside its call',
  why: '"thinking blocks cannot be modified", or the model forgets what it thought',
  link: github('BerriAI/litellm/issues/41361'),
  needs: 'scripted',
  doors: ['chat', 'messages', 'responses'],
  forms: ['stream', 'whole'],
  upstreams: ['anthropic'],
  play: (request) =>
    JSON.stringify(request.body).includes('tool_result')
      ? says('so')(request)
      : turn(
          [
            { think: 'Let me see – "a".', signature },
            { call: 'read', id: 'toolu_1', input: '{"path":"a"}' },
          ],
          'tool_calls',
        )(request),
  run: async (context) => {
    const more = thinkingFor[context.door.name]
    const begin = user(`read a ${context.mark}`)
    const first = await context.ask({ tools, more, messages: [begin] })
    calls(first, [['read', { path: 'a' }]])
    if (textAt(asked(context).body, 'thinking', 'type') !== 'enabled')
      throw new NotJudged('the upstream was not asked to think')
    const [call] = first.calls
    const next = await context.ask({
      tools,
      more,
      messages: [begin, { role: 'raw', items: first.echo }, result(call?.id ?? '', 'A')],
    })
    taken(next, context)
    const { body } = asked(context)
    if (!isShape(body.thinking)) return holds(false, 'the signed thinking', 'thinking was turned off')
    const block = shapesAt(body, 'messages', 1, 'content')[0]
    same(
      'the block before the call',
      block && { type: block.type, thinking: block.thinking, signature: block.signature },
      {
        type: 'thinking',
        thinking: 'Let me see – "a".',
        signature,
      },
    )
  },
}

const forced = scriptedCases(group, [
  {
    id: 'T23',
    title: 'a forced tool_choice beside thinking is made acceptable',
    why: '"Thinking may not be enabled when tool_choice forces tool use"',
    link: github('can1357/oh-my-pi/issues/1484'),
    upstreams: ['anthropic'],
    doors: ['chat', 'responses'],
    ask: ({ door }) => ({ tools, choice: 'required', more: thinkingFor[door.name] }),
    play: turn([{ call: 'read', id: 'call_a', input: '{"path":"a"}' }], 'tool_calls'),
    judge: taken,
  },
  {
    id: 'T22b',
    title: 'thinking does not become part of the answer',
    why: "the model's notes to itself are shown, and sent back as its words",
    upstreams: both,
    play: turn([{ think: 'secret thoughts' }, { text: 'Hello.' }], 'stop'),
    judge: (answer) => {
      succeeded(answer)
      same('the text', answer.text, 'Hello.')
    },
  },
])

export const requestCases: readonly Case[] = [...histories, ...settings, ...dialects, thinking, ...forced]
