// A gateway on port 0 in front of simulators, and a Chat client that looks at every byte of the answer.

import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type AnthropicSimOptions, startAnthropicSim } from '../sim/anthropic.ts'
import { type CursorSim, startCursorSim } from '../sim/cursor.ts'
import { startGeminiSim } from '../sim/gemini.ts'
import { type OpenAISimOptions, startOpenAISim } from '../sim/openai.ts'
import type { Sim } from '../sim/server.ts'
import { startTextSim, type TextSim, type TextSimOptions } from '../sim/text-chat.ts'
import { readEnvironment } from '../src/config/environment.ts'
import { parseConfig } from '../src/config/load.ts'
import { createGateway, type Gateway, type InternalOptions } from '../src/gateway.ts'
import { type ChatStream, readChatStream } from './chat-stream.ts'

export const upstreamKey = 'sk-upstream-canary-2718281828'

export interface Bench {
  url: string
  gateway: Gateway
  anthropic: Sim
  openai: Sim
  cursor: CursorSim
  gemini: Sim
  /** Claude on clouds: only with `clouds`. */
  bedrock: Sim
  vertex: Sim
  /** A model without tools; coders are asked for XML. */
  text: TextSim
  /** Every line that was logged. */
  logs: string[]
  close(): Promise<void>
}

export interface BenchOptions {
  /** A cloud in place of Anthropic: `bedrock` or `vertex`. */
  claudeOn?: string
  /** Claude on both clouds as well. */
  clouds?: boolean
  settings?: Record<string, unknown>
  openai?: OpenAISimOptions
  text?: TextSimOptions
  /** More settings of that backend. */
  cursor?: Record<string, unknown>
  /** More backends. */
  backends?: Record<string, unknown>
  gateway?: Partial<InternalOptions>
}

/** Retries without waiting, so that tests of failures are quick. */
export const quickRetries = {
  retries: 2,
  baseDelayMs: 1,
  longestWaitMs: 1_000,
  longestWaitBesideOthersMs: 1_000,
}
/** Tests share a gateway, and many of them make a backend fail: what one did must not be held against the next. */
export const noBreaker = { failures: Number.POSITIVE_INFINITY }
export const noRetries = { retries: 0, baseDelayMs: 1, longestWaitMs: 0, longestWaitBesideOthersMs: 0 }

export const claudeNames = ['anthropic', 'bedrock', 'vertex'] as const
export type ClaudeName = (typeof claudeNames)[number]

const claudes: Record<ClaudeName, Body> = {
  anthropic: { apiKey: upstreamKey },
  bedrock: { provider: 'bedrock', region: 'us-east-1', apiKey: upstreamKey },
  vertex: {
    ...{ provider: 'vertex', region: 'us-east5', project: 'my-project', models: ['claude-demo'] },
    ...{ accessToken: upstreamKey },
  },
}

/** The settings of Claude at Anthropic or on a cloud. */
export const claudeAt = (name: ClaudeName, baseUrl: string): Body => ({
  ...{ kind: 'anthropic', baseUrl },
  ...claudes[name],
})

type StartClaude = (options?: AnthropicSimOptions) => Promise<Sim>
const claudeSims: Record<ClaudeName, StartClaude> = {
  anthropic: (options) => startAnthropicSim({ apiKey: upstreamKey, ...options }),
  bedrock: async (options) =>
    (await import('../sim/bedrock.ts')).startBedrockSim({ apiKey: upstreamKey, ...options }),
  vertex: async (options) =>
    (await import('../sim/vertex.ts')).startVertexSim({ tokens: [upstreamKey], ...options }),
}

/** The place of Claude in this run of the tests: wire-cases/on-clouds.nightly.test.ts repeats them with a cloud in Anthropic's place. */
export const claudeOfTheRun = (process.env.CLAUDE_ON ?? 'anthropic') as ClaudeName
export const isOnCloud = claudeOfTheRun !== 'anthropic'
export const startClaude: StartClaude = (options) => claudeSims[claudeOfTheRun](options)
export const claudeHere = (baseUrl: string): Body => claudeAt(claudeOfTheRun, baseUrl)

const simsOf = ({ anthropic, openai, cursor, text, gemini, bedrock, vertex }: Bench) =>
  [anthropic, openai, cursor, text, gemini, bedrock, vertex].filter(Boolean)

export async function startBench(options: BenchOptions = {}): Promise<Bench> {
  const claude = (options.claudeOn ?? claudeOfTheRun) as ClaudeName
  const anthropic = await claudeSims[claude]()
  const openai = await startOpenAISim({ apiKey: upstreamKey, ...options.openai })
  const cursor = await startCursorSim()
  const text = await startTextSim({ apiKey: upstreamKey, ...options.text })
  const gemini = await startGeminiSim({ apiKey: upstreamKey })
  const bedrock = options.clouds ? await claudeSims.bedrock() : undefined
  const vertex = options.clouds ? await claudeSims.vertex() : undefined
  const settings = {
    backends: {
      anthropic: claudeAt(claude, anthropic.url),
      openai: { kind: 'openai', baseUrl: `${openai.url}/v1`, apiKey: upstreamKey },
      cursor: { kind: 'cursor', baseUrl: cursor.url, apiKey: 'crsr_test', ...options.cursor },
      text: {
        kind: 'openai',
        baseUrl: `${text.url}/v1`,
        apiKey: upstreamKey,
        tools: 'text',
        toolText: { formats: { '*coder*': 'xml' } },
      },
      gemini: { kind: 'gemini', baseUrl: gemini.url, apiKey: upstreamKey },
      ...(bedrock ? { bedrock: claudeAt('bedrock', bedrock.url) } : {}),
      ...(vertex ? { vertex: claudeAt('vertex', vertex.url) } : {}),
      ...options.backends,
    },
    ...options.settings,
  }
  const { gateway, url, logs } = await startGateway(settings, options.gateway)
  const bench = { url, gateway, logs, anthropic, openai, cursor, text, gemini, bedrock, vertex } as Bench
  bench.close = async () => {
    await gateway.close()
    await Promise.all(simsOf(bench).map((sim) => sim.close()))
  }
  return bench
}

/** A gateway on these settings with every door that anyone may call, without retries and with a breaker that never opens. */
export async function startGateway(
  settings: Record<string, unknown>,
  options: Partial<InternalOptions> = {},
): Promise<Pick<Bench, 'gateway' | 'url' | 'logs'>> {
  const every = { ollama: { enabled: true } }
  const open = { auth: 'none', listen: { port: 0 }, log: { level: 'debug' }, ...every, ...settings }
  const { config, secrets } = parseConfig(JSON.stringify(open), {
    environment: readEnvironment({ HOME: '/nonexistent' }),
  })
  const logs: string[] = []
  const tapeFolder = tapeFolderOfTests()
  const gateway = await createGateway({
    config: tapeFolder === undefined ? config : { ...config, tapes: { ...config.tapes, record: 'all' } },
    keys: [],
    secrets,
    retryPolicy: noRetries,
    breaker: noBreaker,
    writeLog: (line) => logs.push(line),
    ...(tapeFolder === undefined ? {} : { tapeFolder }),
    ...options,
  })
  return { gateway, url: await gateway.listen(), logs }
}

/** With `TAPES_OF_TESTS`, every turn of every gateway is recorded, each gateway in a folder of its own. */
function tapeFolderOfTests(): string | undefined {
  const folder = process.env.TAPES_OF_TESTS
  return folder === undefined ? undefined : mkdtempSync(join(folder, 'gateway-'))
}

/** A bench for all tests of a file (or of a `describe`), its simulators cleared behind each. */
export function useBench(options: BenchOptions = {}, bench = {} as Bench): Bench {
  beforeAll(async () => {
    Object.assign(bench, await startBench(options))
  })
  afterAll(() => bench.close())
  afterEach(() => {
    for (const sim of simsOf(bench)) sim.clear()
    bench.logs.length = 0
  })
  return bench
}

export type Body = Record<string, unknown>

export interface ChatAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  json: any
}

export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

export async function chat(url: string, body: Body, headers?: Record<string, string>): Promise<ChatAnswer> {
  const response = await post(url, { ...body, stream: false }, headers)
  return { status: response.status, headers: response.headers, json: await response.json() }
}

export async function chatStream(
  url: string,
  body: Body,
  headers?: Record<string, string>,
): Promise<ChatStream> {
  return readChatStream(await post(url, { ...body, stream: true }, headers))
}

export const user = (content: unknown): Body => ({ role: 'user', content })

export const writeTool = {
  type: 'function',
  function: {
    name: 'write',
    description: 'Write a file',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
  },
}

export const readTool = {
  type: 'function',
  function: {
    name: 'read',
    description: 'Read a file',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
}

export const ask = (model: string, more: Body = {}): Body => ({
  model,
  messages: [user('hello')],
  tools: [readTool],
  ...more,
})

/** A call as an assistant message holds it. */
export const called = (id: string, name: string, input: unknown): Body => ({
  id,
  type: 'function',
  function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
})

export const answered = (id: string, content: unknown): Body => ({ role: 'tool', tool_call_id: id, content })
