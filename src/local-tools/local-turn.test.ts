import { describe, expect, it } from 'vitest'
import { checkTurn } from '../../test/check-turn.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnEvent } from '../core/events.ts'
import type { TurnRequest } from '../core/request.ts'
import { Turn } from '../core/turn.ts'
import { toResultText } from '../protocols/local-tools/results.ts'
import type { LocalExecutor, RunContext } from './executor.ts'
import { type LocalTurnOptions, localTurn, offerLocalTools } from './local-turn.ts'

const request: TurnRequest = {
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
  tools: [],
  stream: true,
  origin: { dialect: 'openai-chat', body: {}, faithful: true },
}

const start: TurnEvent = { type: 'turn-start', id: 't', model: 'm' }
const usage = { inputTokens: 10, outputTokens: 2 }
const said = (text: string, block = 0): TurnEvent[] => [
  { type: 'text-start', block },
  { type: 'text-delta', block, delta: text },
  { type: 'text-end', block },
]
const called = (callId: string, block = 0, input = '{"path":"a"}'): TurnEvent[] => [
  { type: 'tool-call-start', block, callId, name: 'workspace_read' },
  { type: 'tool-call-delta', block, delta: input },
  { type: 'tool-call-end', block, callId, name: 'workspace_read', input },
]
const calls: TurnEvent = { type: 'turn-end', reason: 'tool-calls', usage }
const stop: TurnEvent = { type: 'turn-end', reason: 'stop', usage }

async function* batches(leg: TurnEvent[]): AsyncGenerator<TurnEvent[]> {
  // One event per batch: the result must not depend on it.
  for (const event of leg) yield [event]
}

interface Scene {
  legs: TurnEvent[][]
  settings?: Partial<LocalExecutor['settings']>
  onRun?: (goAway: () => void) => void
  failAsk?: GatewayError
  content?: string
  request?: Partial<TurnRequest>
}

async function play({ legs, settings = {}, onRun, failAsk, content = 'A\n', request: more }: Scene) {
  const asked: TurnRequest[] = []
  const abandoned: string[] = []
  const stopper = new AbortController()
  const executor = {
    settings: { maxRuns: 100, progress: 'reasoning', outputBytes: 1024, ...settings },
    async run(call: { input: string }, context: RunContext) {
      context.onBegin?.({ kind: 'read', path: JSON.parse(call.input).path })
      onRun?.(() => stopper.abort())
      const outcome = { kind: 'read' as const, content, complete: true }
      return { outcome, result: toResultText(outcome) }
    },
  } as unknown as LocalExecutor
  const rest = [...legs]
  const next = () => new Turn(batches(rest.shift() ?? [start, stop]))
  const options: LocalTurnOptions = {
    request: { ...request, ...more },
    executor,
    context: { turnId: 't', key: 'k', signal: stopper.signal },
    first: next(),
    async ask(following) {
      if (failAsk) throw failAsk
      asked.push(following)
      return next()
    },
    onOutput: () => undefined,
    abandon: (callId) => abandoned.push(callId),
  }
  const events: TurnEvent[] = []
  for await (const batch of localTurn(options)) events.push(...batch)
  expect(checkTurn(events)).toEqual([])
  const textOf = (type: 'text-delta' | 'reasoning-delta') =>
    events.map((event) => (event.type === type ? event.delta : '')).join('')
  return {
    events,
    asked,
    abandoned,
    text: textOf('text-delta'),
    reasoning: textOf('reasoning-delta'),
    last: events.at(-1),
  }
}

describe('a turn with local tools', () => {
  it('nobody reads on: the part under way is stopped', async () => {
    let isReturned = false
    async function* first() {
      try {
        yield* batches([start, ...said('Let me look.')])
        await new Promise(() => undefined)
      } finally {
        isReturned = true
      }
    }
    const options = {
      request,
      executor: { settings: { progress: 'off' } },
      context: { turnId: 't', key: 'k', signal: new AbortController().signal },
      first: new Turn(first()),
    } as unknown as LocalTurnOptions
    const turn = new Turn(localTurn(options))
    while (!(await turn.next())?.some(({ type }) => type === 'text-delta'));
    turn.stop()
    await new Promise((resolve) => setImmediate(resolve))
    expect(isReturned).toBe(true)
  })

  it('is one answer: texts, progress, one end, all usage', async () => {
    const { events, asked, text, reasoning, last, abandoned } = await play({
      legs: [
        [start, ...said('Let me look.'), ...called('c1', 1), ...called('c2', 2, '{"path":"b"}'), calls],
        [start, ...said('Done.'), stop],
      ],
    })
    expect(text).toBe('Let me look.\n\nDone.')
    expect(reasoning).toBe('read a\n→ 1 line\nread b\n→ 1 line\n')
    expect(last).toEqual({ type: 'turn-end', reason: 'stop', usage: { inputTokens: 20, outputTokens: 4 } })
    expect(events.filter(({ type }) => type.startsWith('tool-call'))).toEqual([])
    expect(abandoned).toEqual([])
    expect(asked[0]?.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me look.' },
          { type: 'tool-call', callId: 'c1', name: 'workspace_read', input: '{"path":"a"}' },
          { type: 'tool-call', callId: 'c2', name: 'workspace_read', input: '{"path":"b"}' },
        ],
      },
      {
        role: 'tool',
        results: ['c1', 'c2'].map((callId) => ({
          callId,
          content: [{ type: 'text', text: 'A\n' }],
        })),
      },
    ])
  })

  it('shows progress as text, or not at all', async () => {
    const legs = () => [
      [start, ...called('c1'), calls],
      [start, ...said('Done.'), stop],
    ]
    expect((await play({ legs: legs(), settings: { progress: 'text' } })).text).toBe(
      '> read a\n> → 1 line\n\n\nDone.',
    )
    expect(await play({ legs: legs(), settings: { progress: 'off' } })).toMatchObject({
      text: 'Done.',
      reasoning: '',
    })
  })

  it('separates progress text from the model’s text', async () => {
    const twice = [...called('c1', 1), ...called('c2', 2, '{"path":"b"}'), calls]
    const { text } = await play({
      legs: [
        [start, ...said('Let me look.'), ...twice],
        [start, ...called('c3'), calls],
        [start, ...said('Done.'), stop],
      ],
      settings: { progress: 'text' },
    })
    expect(text).toBe(
      'Let me look.\n\n> read a\n> → 1 line\n> read b\n> → 1 line\n\n\n> read a\n> → 1 line\n\n\nDone.',
    )
  })

  it.each(['reasoning', 'text', 'off'] as const)(
    'that is to be JSON is nothing but the last text (%s)',
    async (progress) => {
      const { text, reasoning } = await play({
        legs: [
          [start, ...said('Let me look.'), ...called('c1', 1), calls],
          [start, ...said('{"a":'), ...said('1}', 1), stop],
        ],
        settings: { progress },
        request: { responseFormat: { type: 'json' } },
      })
      expect(JSON.parse(text)).toEqual({ a: 1 })
      expect(reasoning).toBe(progress === 'off' ? '' : 'read a\n→ 1 line\n')
    },
  )

  it.each([{}, { responseFormat: { type: 'json' } } as const])(
    'a refusal stays one, and nothing else is (%j)',
    async (more) => {
      const refused = said('I will not.').map((event) =>
        event.type === 'text-start' ? { ...event, refusal: true as const } : event,
      )
      const { events } = await play({
        legs: [
          [start, ...refused, ...called('c1', 1), calls],
          [start, ...refused, stop],
        ],
        settings: { progress: 'text' },
        request: more,
      })
      const texts = events.flatMap((event) => (event.type === 'text-start' ? [event.refusal ?? false] : []))
      expect(texts).toEqual('responseFormat' in more ? [true] : [true, false, true])
    },
  )

  it('keeps reasoning signatures for the next request and for the client', async () => {
    const thought: TurnEvent[] = [
      { type: 'reasoning-start', block: 0 },
      { type: 'reasoning-delta', block: 0, delta: 'hm' },
      { type: 'reasoning-end', block: 0, signature: 'sig' },
    ]
    const { asked, events } = await play({ legs: [[start, ...thought, ...called('c1', 1), calls]] })
    expect(asked[0]?.messages[1]).toMatchObject({
      content: [{ type: 'reasoning', text: 'hm', signature: 'sig' }, {}],
    })
    expect(events).toContainEqual({ type: 'reasoning-end', block: 0, signature: 'sig' })
  })

  it('warns a model at the limit, then stops it', async () => {
    const more = (id: string) => [start, ...called(id), calls]
    const { asked, text, last, abandoned } = await play({
      legs: [more('c1'), more('c2'), more('c3'), more('c4')],
      settings: { maxRuns: 2 },
    })
    const [told] = asked.at(-1)?.messages.slice(-1) ?? []
    expect(told).toMatchObject({ results: [{ callId: 'c3', isError: true }] })
    expect(text).toBe('(Stopped after 2 tool runs.)')
    expect(last).toMatchObject({ type: 'turn-end', reason: 'length' })
    expect(abandoned).toEqual(['c4'])
  })

  it('ends with the error of a later part, and abandons the waiting run', async () => {
    const failAsk = new GatewayError('upstream-unavailable', 'gone')
    const { last, abandoned } = await play({ legs: [[start, ...called('c1'), calls]], failAsk })
    expect(last).toMatchObject({
      type: 'turn-error',
      error: {
        code: 'upstream-unavailable',
        message: 'gone Before that, a local tool was run: the same request would run it again.',
        retryable: false,
        cause: failAsk,
      },
    })
    expect(abandoned).toEqual(['c1'])
  })

  it('bounds the conversation', async () => {
    const more = (id: string) => [start, ...called(id), calls]
    const { asked, text, last } = await play({
      legs: Array.from({ length: 40 }, (_, index) => more(`c${index}`)),
      content: 'x'.repeat(1024 * 1024),
    })
    const lengths = asked.map(({ messages }) => JSON.stringify(messages.at(-1)).length)
    expect(lengths.slice(0, 8).every((length) => length > 1024 * 1024)).toBe(true)
    expect(JSON.stringify(asked.at(-1)?.messages.at(-1))).toContain('the limit of 8388608 characters')
    expect(text).toBe('(Stopped after 8388608 characters of calls and results.)')
    expect(last).toMatchObject({ type: 'turn-end', reason: 'length' })
    expect(asked).toHaveLength(9)
  })

  it('bounds a part without an end', async () => {
    const piece: TurnEvent = { type: 'text-delta', block: 0, delta: 'x'.repeat(1024 * 1024) }
    const endless = Array.from({ length: 17 }, () => piece)
    const { last, asked } = await play({
      legs: [[start, { type: 'text-start', block: 0 }, ...endless, { type: 'text-end', block: 0 }, stop]],
    })
    expect(last).toMatchObject({ type: 'turn-error', error: { code: 'upstream-protocol' } })
    expect(asked).toEqual([])
  })

  it('cancellation while a tool runs ends it and the waiting run', async () => {
    const { last, asked, abandoned } = await play({
      legs: [[start, ...called('c1'), ...called('c2', 1), calls]],
      onRun: (goAway) => goAway(),
    })
    expect(last).toMatchObject({ type: 'turn-error', error: { code: 'canceled' } })
    expect(asked).toEqual([])
    expect(abandoned).toEqual(['c1', 'c2'])
  })

  it('ends with an error inside a part', async () => {
    const error = new GatewayError('upstream-protocol', 'broken')
    const { last, text } = await play({
      legs: [[start, ...said('a').slice(0, 2), { type: 'turn-error', error }]],
    })
    expect(text).toBe('a')
    expect(last).toEqual({ type: 'turn-error', error })
  })
})

describe('the tools of the gateway are offered', () => {
  const executor = {
    tools: async () => [{ name: 'workspace_read', schema: {} }],
    root: async () => '/w',
  } as unknown as LocalExecutor
  const offered = async (changes: Partial<TurnRequest>) =>
    (await offerLocalTools({ ...request, ...changes }, executor)) !== undefined

  it('to a conversation without tools, also with an empty list', async () => {
    expect(await offerLocalTools(request, executor)).toMatchObject({
      workspace: '/w',
      tools: [{ name: 'workspace_read' }],
      origin: { faithful: false },
    })
    expect(await offered({ origin: { dialect: 'any', body: { tools: [] }, faithful: true } })).toBe(true)
  })

  it('without earlier progress: only signed reasoning is sent back', async () => {
    const thought = { type: 'reasoning', text: 'hm', signature: 's' } as const
    const progress = { type: 'reasoning', text: 'read a' } as const
    const answer = { type: 'text', text: 'Done.' } as const
    const history: TurnRequest['messages'] = [
      { role: 'assistant', content: [thought, progress, answer], source: { role: 'assistant' } },
      { role: 'assistant', content: [progress] },
      { role: 'assistant', content: [answer], source: { role: 'assistant' } },
    ]
    expect((await offerLocalTools({ ...request, messages: history }, executor))?.messages).toEqual([
      { role: 'assistant', content: [thought, answer] },
      history[2],
    ])
  })

  it('not if the client has or had tools, or forbids them', async () => {
    const user = request.messages[0] as TurnRequest['messages'][0]
    const call = { type: 'tool-call', callId: 'c', name: 'x', input: '{}' } as const
    expect(await offered({ tools: [{ name: 'x', schema: {} }] })).toBe(false)
    expect(await offered({ toolChoice: { type: 'none' } })).toBe(false)
    expect(await offered({ messages: [user, { role: 'assistant', content: [call] }] })).toBe(false)
    expect(await offered({ messages: [user, { role: 'tool', results: [] }] })).toBe(false)
    const onlyOfTheService = {
      dialect: 'openai-responses',
      body: { tools: [{ type: 'web_search' }] },
      faithful: true,
    }
    expect(await offered({ origin: onlyOfTheService })).toBe(false)
  })

  const came = (body: Record<string, unknown>) => ({
    origin: { dialect: 'any', body, faithful: false },
  })

  it.each([
    ['a result whose call was cut off', { messages: [{ role: 'tool', tool_call_id: 'c', content: 'r' }] }],
    ['a call in the oldest form', { messages: [{ role: 'assistant', function_call: { name: 'f' } }] }],
    ['calls', { messages: [{ role: 'assistant', tool_calls: [{}] }] }],
    ['a tool of the service', { messages: [{ role: 'assistant', content: [{ type: 'server_tool_use' }] }] }],
    ['a result as a block', { messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] }],
    ['a call as an item', { input: [{ type: 'web_search_call' }] }],
    ['an output as an item', { input: [{ type: 'function_call_output' }] }],
    ['a result in a content', { contents: [{ role: 'user', parts: [{ functionResponse: { name: 'a' } }] }] }],
    ['a call in a content', { contents: [{ role: 'model', parts: [{ function_call: { name: 'a' } }] }] }],
  ])('not if the request shows tools: %s', async (_what, body) => {
    expect(await offered(came(body))).toBe(false)
  })

  it('to clients with empty tool fields', async () => {
    const message = { role: 'assistant', content: 'hi', tool_calls: null, function_call: null }
    const parts = [{ type: 'text', text: 'what is a tool_call?' }, { type: 'image_url' }]
    expect(await offered(came({ tools: null, messages: [message, { role: 'user', content: parts }] }))).toBe(
      true,
    )
    expect(await offered(came({ input: [{ type: 'message', tool_calls: [] }, 'odd'] }))).toBe(true)
  })
})
