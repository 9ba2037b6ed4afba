// Turns that went wrong or used what the gateway remembered replay as recorded, at every door, streamed and whole. By day one door and
// form for each; nightly all.

import { describe, expect, it } from 'vitest'
import { isNightly, scaled } from '../depth.ts'
import { type Bench, type BenchOptions, quickRetries } from '../harness.ts'
import { type DoorClient, doorClients } from './door-clients.ts'
import { expectEqual } from './equal.ts'
import { recorded } from './recorded.ts'

interface Failing extends BenchOptions {
  /** The model to ask; `both` is an alias for Anthropic's, then OpenAI's. */
  model: string
  play?(bench: Bench): void
  /** By default: one question. */
  ask?(bench: Bench, client: DoorClient): Promise<unknown>
  /** What must have happened, so that the case shows anything. */
  expects?(bench: Bench): void
}

const quickClock = { sessions: { progressMs: 200 } }
const both = { models: { both: ['anthropic/m', 'openai/m'] } }
const anthropicError = (status: number, type: string, headers = {}) => ({
  status,
  headers,
  body: { type: 'error', error: { type, message: 'not now' } },
})
const openaiError = (status: number, headers = {}) => ({
  status,
  headers,
  body: { error: { message: 'not now', type: 'server_error' } },
})
const read = (path: string) => ({ call: { name: 'read', arguments: { path } } })
const unfit = { call: { name: 'read', arguments: { path: 5 } } }
const tooManyTools = {
  status: 400,
  body: {
    error: {
      message: "Invalid 'tools': array too long. Expected an array with maximum length 8, but got more.",
      type: 'invalid_request_error',
      param: 'tools',
    },
  },
}
const noMaxTokens = {
  status: 400,
  body: {
    error: {
      message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
      type: 'invalid_request_error',
      param: 'max_tokens',
    },
  },
}
const gateway = { retryPolicy: { ...quickRetries, longestWaitBesideOthersMs: 50 } }

const cases: Record<string, Failing> = {
  'a 429 and the next backend': {
    model: 'both',
    settings: both,
    gateway,
    play: ({ anthropic }) =>
      anthropic.play([anthropicError(429, 'rate_limit_error', { 'retry-after': '20' })]),
    expects: ({ openai }) => expect(openai.requests).toHaveLength(1),
  },
  'a 429, a retry, and the next backend': {
    model: 'both',
    settings: both,
    gateway,
    play: ({ anthropic }) =>
      anthropic.play([anthropicError(429, 'rate_limit_error')], [anthropicError(429, 'rate_limit_error')]),
    expects: ({ anthropic }) => expect(anthropic.requests).toHaveLength(2),
  },
  'a 429 that is passed on': {
    model: 'openai/m',
    play: ({ openai }) => openai.play([openaiError(429, { 'retry-after': '7' })]),
  },
  'a retry that works': {
    model: 'openai/m',
    gateway,
    play: ({ openai }) => openai.play([openaiError(503)], [{ say: 'now' }]),
    expects: ({ openai }) => expect(openai.requests).toHaveLength(2),
  },
  'a backend that is left alone': {
    model: 'both',
    settings: both,
    gateway: { breaker: { failures: 1 }, retryPolicy: { ...quickRetries, retries: 0 } },
    play: ({ anthropic }) => anthropic.play([anthropicError(529, 'overloaded_error')]),
    ask: async (bench, client) => {
      await client.ask(bench, 'both')
      await client.ask(bench, 'both')
    },
    expects: ({ anthropic }) => expect(anthropic.requests).toHaveLength(1),
  },
  'a connection reset before the first byte': {
    model: 'openai/m',
    play: ({ openai }) => openai.play([{ fault: 'reset' }]),
  },
  'a connection reset in the middle': {
    model: 'anthropic/m',
    play: ({ anthropic }) => anthropic.play([{ say: 'half of', pieces: 2 }, { fault: 'reset' }]),
  },
  'a connection that ends too early': {
    model: 'openai/m',
    play: ({ openai }) => openai.play([{ say: 'half of', pieces: 2 }, { fault: 'fin' }]),
  },
  'a service that does not listen': {
    model: 'dead/m',
    backends: { dead: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'none' } },
  },
  'a clock that runs out': {
    model: 'anthropic/m',
    settings: quickClock,
    play: ({ anthropic }) =>
      anthropic.play([{ say: 'half' }, { wait: scaled(5_000, 2_000) }, { say: 'never' }]),
  },
  'a failure after keep-alives': {
    model: 'openai/m',
    gateway: { keepAliveMs: 30 },
    play: ({ openai }) => openai.play([{ wait: 150 }, openaiError(500)]),
  },
  'late notes': {
    model: 'openai/m',
    gateway: { keepAliveMs: 30 },
    play: ({ openai }) => openai.play([{ wait: 150 }, { call: { name: 'Read', arguments: { path: 'a' } } }]),
  },
  // The head of the answer was sent by it, not by the service's first byte.
  'late notes after one keep-alive': {
    model: 'openai/m',
    gateway: { keepAliveMs: 200 },
    play: ({ openai }) => openai.play([{ wait: 300 }, { call: { name: 'Read', arguments: { path: 'a' } } }]),
  },
  'a call that is asked for again': {
    model: 'openai/m',
    settings: { calls: { check: 'retry' } },
    play: ({ openai }) => openai.play([unfit], [read('a')]),
    expects: ({ openai }) => expect(openai.requests).toHaveLength(2),
  },
  'a call that is asked for again in vain': {
    model: 'openai/m',
    settings: { calls: { check: 'retry' } },
    play: ({ openai }) => openai.play([unfit], [openaiError(500)]),
  },
  'corrected calls in the history': {
    model: 'openai/m',
    settings: { calls: { check: 'retry' } },
    play: ({ openai }) => openai.play([unfit], [read('a')], [{ say: 'Done.' }]),
    ask: (bench, client) => client.loop(bench, 'openai/m'),
  },
  'kept thinking': {
    model: 'anthropic/claude-opus-4-5',
    play: ({ anthropic }) => anthropic.play([{ think: 'Well.' }, read('a')], [{ say: 'Done.' }]),
    ask: (bench, client) => client.loop(bench, 'anthropic/claude-opus-4-5'),
  },
  'what a refusal has taught': {
    model: 'openai/m',
    play: ({ openai }) => openai.play([noMaxTokens], [{ say: 'one' }], [{ say: 'two' }]),
    ask: async (bench, client) => {
      await client.ask(bench, 'openai/m', { maxTokens: 50 })
      await client.ask(bench, 'openai/m', { maxTokens: 50 })
    },
  },
  'a limit of tools that a refusal has told, and the next turn': {
    model: 'openai/m',
    play: ({ openai }) => openai.play([tooManyTools], [{ say: 'one' }], [{ say: 'two' }]),
    ask: async (bench, client) => {
      await client.ask(bench, 'openai/m', { manyTools: true })
      await client.ask(bench, 'openai/m', { manyTools: true })
    },
    expects: ({ openai }) => expect(openai.requests).toHaveLength(3),
  },
  'a search for deferred tools': {
    model: 'openai/m',
    settings: { deferTools: 8 },
    play: ({ openai }) =>
      openai.play([{ call: { name: 'search_tools', arguments: { query: 'weather' } } }], [{ say: 'Done.' }]),
    ask: (bench, client) => client.ask(bench, 'openai/m', { manyTools: true }),
    expects: ({ openai }) => expect(openai.requests).toHaveLength(2),
  },
  'a call that is asked for again after such a search': {
    model: 'openai/m',
    settings: { deferTools: 8, calls: { check: 'retry' } },
    play: ({ openai }) =>
      openai.play(
        [{ call: { name: 'search_tools', arguments: { query: 'weather' } } }],
        [{ call: { name: 'nothing_of_the_kind', arguments: {} } }],
        [read('a')],
      ),
    ask: (bench, client) => client.ask(bench, 'openai/m', { manyTools: true }),
    expects: ({ openai }) => expect(openai.requests).toHaveLength(3),
  },
  "a run of Cursor's over several turns": {
    model: 'cursor/default',
    ask: (bench, client) => client.loop(bench, 'cursor/default', 'Read a.txt and b.txt, then run `ls`'),
  },
  "a run of Cursor's that breaks": {
    model: 'cursor/default',
    play: ({ cursor }) => cursor.play({ steps: [{ say: 'half' }, { fault: 'reset' }] }),
  },
  "a run of Cursor's that stalls": {
    model: 'cursor/default',
    settings: quickClock,
    play: ({ cursor }) => cursor.play({ steps: [{ think: 'Well.' }, { wait: 3_000 }] }),
  },
  'the kept signature of a call': {
    model: 'gemini/gemini-3.8-flash',
    play: ({ gemini }) => gemini.play([{ think: 'Well.' }, read('a')], [{ say: 'Done.' }]),
    ask: (bench, client) => client.loop(bench, 'gemini/gemini-3.8-flash'),
  },
}

const rows = Object.keys(cases).flatMap((name, at) =>
  doorClients
    .flatMap((client) => [true, false].map((stream) => ({ name, client: { ...client, stream } })))
    .filter((_row, form) => isNightly || form === at % (2 * doorClients.length)),
)

describe('replays as recorded', () => {
  it.each(
    rows.map(
      ({ name, client }) => [name, client.name, client.stream ? 'streamed' : 'whole', client] as const,
    ),
  )('%s, at %s, %s', async (name, _door, _form, client) => {
    const { model, play, ask, expects, ...options } = cases[name] as Failing
    const tapes = await recorded(async (bench) => {
      play?.(bench)
      await (ask ?? ((at: Bench, by: DoorClient) => by.ask(at, model)))(bench, client)
      expects?.(bench)
    }, options)
    expect(tapes.length).toBeGreaterThan(0)
    expect(tapes.map(({ head }) => head.replay)).toEqual(tapes.map(() => 'yes'))
    await expectEqual(tapes)
    // Each for itself, too, unless it continues a run.
    for (const tape of tapes) if (tape.head.continues === undefined) await expectEqual([tape])
  })
})
