// One gateway in front of every kind of service, and a client that sends what Claude Code sends.

import { afterAll, afterEach, beforeAll } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { type CursorSim, startCursorSim } from '../../sim/cursor.ts'
import { startGeminiSim } from '../../sim/gemini.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import { startQwenWebSim } from '../../sim/qwen-web.ts'
import type { Sim } from '../../sim/server.ts'
import { startTextSim, type TextSim } from '../../sim/text-chat.ts'
import type { InternalOptions } from '../../src/gateway.ts'
import { type Body, startGateway, upstreamKey } from '../harness.ts'
import { headers } from './requests.ts'

export interface ContractBench {
  url: string
  logs: string[]
  anthropic: Sim
  openai: Sim
  cursor: CursorSim
  text: TextSim
  gemini: Sim
  qwen: Sim
}

export const claude = 'anthropic/claude-opus-5-5'
/** A model of each service that is not Anthropic's. */
export const others = {
  openai: 'openai/gpt-demo',
  responses: 'responses/gpt-demo',
  cursor: 'cursor/composer-2',
  text: 'text/text-demo',
  gemini: 'gemini/gemini-2.5-pro',
  qwen: 'qwen/qwen3-max',
} as const
export type Other = keyof typeof others

export function useContractBench(
  options: Partial<InternalOptions> = {},
  settings: Record<string, unknown> = {},
): ContractBench {
  const bench = {} as ContractBench
  const closing: { close(): Promise<unknown> }[] = []
  beforeAll(async () => {
    const anthropic = await startAnthropicSim({ apiKey: upstreamKey })
    const openai = await startOpenAISim({ apiKey: upstreamKey })
    const cursor = await startCursorSim()
    const text = await startTextSim({ apiKey: upstreamKey })
    const gemini = await startGeminiSim({ apiKey: upstreamKey })
    const qwen = await startQwenWebSim({ apiKey: upstreamKey })
    const chat = { kind: 'openai', baseUrl: `${openai.url}/v1`, apiKey: upstreamKey }
    const backends = {
      anthropic: { kind: 'anthropic', baseUrl: anthropic.url, apiKey: upstreamKey },
      openai: chat,
      responses: { ...chat, api: 'responses' },
      cursor: { kind: 'cursor', baseUrl: cursor.url, apiKey: 'crsr_test' },
      text: { kind: 'openai', baseUrl: `${text.url}/v1`, apiKey: upstreamKey, tools: 'text' },
      gemini: { kind: 'gemini', baseUrl: gemini.url, apiKey: upstreamKey },
      qwen: { kind: 'qwen-web', baseUrl: qwen.url, token: upstreamKey },
    }
    const { gateway, url, logs } = await startGateway({ backends, ...settings }, options)
    Object.assign(bench, { url, logs, anthropic, openai, cursor, text, gemini, qwen })
    closing.push(gateway, anthropic, openai, cursor, text, gemini, qwen)
  })
  afterAll(async () => {
    for (const part of closing) await part.close()
  })
  afterEach(() => {
    const { anthropic, openai, cursor, text, gemini, qwen } = bench
    for (const sim of [anthropic, openai, cursor, text, gemini, qwen]) sim.clear()
    bench.logs.length = 0
  })
  return bench
}

export interface Answer {
  status: number
  said: string
  notes: string
  header(name: string): string | null
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  json: any
}

export async function send(
  bench: Pick<ContractBench, 'url'>,
  body: Body | string,
  { more, path = '/v1/messages?beta=true' }: { more?: Record<string, string>; path?: string } = {},
): Promise<Answer> {
  const answer = await fetch(`${bench.url}${path}`, {
    method: 'POST',
    headers: headers(more),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const said = await answer.text()
  const header = (name: string) => answer.headers.get(name)
  const json = said.startsWith('{') ? JSON.parse(said) : undefined
  return { status: answer.status, said, notes: header('x-dragoman-notes') ?? '', header, json }
}

/** All that the service was told, as one text. */
export function toldTo(bench: ContractBench, other: Other): string {
  if (other === 'cursor') return bench.cursor.runs.map(toldToRun).join('\n')
  return bench[other === 'responses' ? 'openai' : other].requests.map(({ bodyText }) => bodyText).join('\n')
}

export function requestsTo(bench: ContractBench, other: Other) {
  return bench[other === 'responses' ? 'openai' : other].requests
}

/** Its history is in blobs, its tools in the answer to a question of the service. */
function toldToRun({ request, context }: CursorSim['runs'][number]): string {
  const blobs = request.preFetchedBlobs.map(({ value }) => Buffer.from(value).toString('utf8'))
  return [...blobs, JSON.stringify([request.action, request.mcpTools, context], plain)].join('\n')
}

const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
