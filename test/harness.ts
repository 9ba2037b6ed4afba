// A gateway on port 0 in front of simulators, and a Chat client that looks at every byte of the answer.

import { afterAll, afterEach, beforeAll } from 'vitest'
import { startAnthropicSim } from '../sim/anthropic.ts'
import { type CursorSim, startCursorSim } from '../sim/cursor.ts'
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
  /** A model without tools; coders are asked for XML. */
  text: TextSim
  /** Every line that was logged. */
  logs: string[]
  close(): Promise<void>
}

export interface BenchOptions {
  settings?: Record<string, unknown>
  openai?: OpenAISimOptions
  text?: TextSimOptions
  /** More settings of that backend. */
  cursor?: Record<string, unknown>
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

export async function startBench(options: BenchOptions = {}): Promise<Bench> {
  const anthropic = await startAnthropicSim({ apiKey: upstreamKey })
  const openai = await startOpenAISim({ apiKey: upstreamKey, ...options.openai })
  const cursor = await startCursorSim()
  const text = await startTextSim({ apiKey: upstreamKey, ...options.text })
  const settings = {
    backends: {
      anthropic: { kind: 'anthropic', baseUrl: anthropic.url, apiKey: upstreamKey },
      openai: { kind: 'openai', baseUrl: `${openai.url}/v1`, apiKey: upstreamKey },
      cursor: { kind: 'cursor', baseUrl: cursor.url, apiKey: 'crsr_test', ...options.cursor },
      text: {
        kind: 'openai',
        baseUrl: `${text.url}/v1`,
        apiKey: upstreamKey,
        tools: 'text',
        toolText: { formats: { '*coder*': 'xml' } },
      },
    },
    ...options.settings,
  }
  const { gateway, url, logs } = await startGateway(settings, options.gateway)
  return {
    url,
    gateway,
    anthropic,
    openai,
    cursor,
    text,
    logs,
    async close() {
      await gateway.close()
      await Promise.all([anthropic, openai, cursor, text].map((sim) => sim.close()))
    },
  }
}

/** A gateway on these settings that anyone may call, without retries and with a breaker that never opens. */
export async function startGateway(
  settings: Record<string, unknown>,
  options: Partial<InternalOptions> = {},
): Promise<Pick<Bench, 'gateway' | 'url' | 'logs'>> {
  const open = { auth: 'none', listen: { port: 0 }, log: { level: 'debug' }, ...settings }
  const { config, secrets } = parseConfig(JSON.stringify(open), {
    environment: readEnvironment({ HOME: '/nonexistent' }),
  })
  const logs: string[] = []
  const gateway = await createGateway({
    config,
    keys: [],
    secrets,
    retryPolicy: noRetries,
    breaker: noBreaker,
    writeLog: (line) => logs.push(line),
    ...options,
  })
  return { gateway, url: await gateway.listen(), logs }
}

/** A bench for all tests of a file (or of a `describe`), its simulators cleared behind each. */
export function useBench(options: BenchOptions = {}, bench = {} as Bench): Bench {
  beforeAll(async () => {
    Object.assign(bench, await startBench(options))
  })
  afterAll(() => bench.close())
  afterEach(() => {
    bench.anthropic.clear()
    bench.openai.clear()
    bench.cursor.clear()
    bench.text.clear()
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
