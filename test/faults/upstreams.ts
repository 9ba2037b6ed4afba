// The backends of a test matrix, and how each one is scripted.

import { afterAll, beforeAll } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { startBedrockSim } from '../../sim/bedrock.ts'
import { type CursorSim, type CursorStep, startCursorSim } from '../../sim/cursor.ts'
import { startGeminiSim } from '../../sim/gemini.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import type { Step } from '../../sim/script.ts'
import type { Sim } from '../../sim/server.ts'
import { startTextSim } from '../../sim/text-chat.ts'
import { startVertexSim } from '../../sim/vertex.ts'
import type { Gateway, InternalOptions } from '../../src/gateway.ts'
import { until } from '../end-to-end/wire.ts'
import { startGateway } from '../harness.ts'
import { chunk, messageStart } from '../wire-cases/frames.ts'

export interface Upstreams {
  anthropic: Sim
  bedrock: Sim
  gemini: Sim
  openai: Sim
  text: Sim
  vertex: Sim
  cursor: CursorSim
}

export const httpNames = ['anthropic', 'gemini', 'openai', 'text', 'bedrock', 'vertex'] as const
export type HttpName = (typeof httpNames)[number]
export type BackendName = HttpName | 'cursor' | 'sse'

/** Each case has its own model, so a fault of one case does not affect the next. */
export const cursorModels = Array.from({ length: 60 }, (_, at) => `m${at}`)
let models = 0
export const nextModel = (backend: BackendName) =>
  `${backend}/${isCloud(backend) ? 'claude-' : ''}m${models++ % cursorModels.length}`

/** Claude behind credentials, paths and errors of another company. */
export const isCloud = (backend: BackendName) => backend === 'bedrock' || backend === 'vertex'

/** For cases that a clock has to end: short, but long enough for the answers before and after on a machine that is busy. */
export const clocks = { progressMs: 1_500, firstByteMs: 1_500 }
/** For cases that no clock ends. */
export const patient = { progressMs: 60_000, firstByteMs: 60_000 }

const awsAccount = { accessKeyId: 'AKIATESTTESTTEST', secretAccessKey: 'secret/of+the+test' }
const googleToken = 'ya29.test'

export function useUpstreams(): Upstreams {
  const upstreams = {} as Upstreams
  beforeAll(async () => {
    Object.assign(upstreams, {
      anthropic: await startAnthropicSim(),
      bedrock: await startBedrockSim({ signers: [awsAccount] }),
      gemini: await startGeminiSim(),
      openai: await startOpenAISim(),
      text: await startTextSim(),
      vertex: await startVertexSim({ tokens: [googleToken] }),
      cursor: await startCursorSim({ models: cursorModels }),
    })
  })
  afterAll(() => Promise.all(Object.values(upstreams).map((sim) => sim.close())))
  return upstreams
}

export interface Running {
  gateway: Gateway
  url: string
  logs: string[]
}

export function startFaultGateway(
  { anthropic, bedrock, gemini, openai, text, vertex, cursor }: Upstreams,
  options: Partial<InternalOptions> = {},
  { progressMs, firstByteMs } = clocks,
): Promise<Running> {
  const cursorSettings = { kind: 'cursor', baseUrl: cursor.url, apiKey: 'crsr_test' }
  const backends = {
    anthropic: { kind: 'anthropic', baseUrl: anthropic.url, apiKey: 'sk-test', firstByteMs },
    gemini: { kind: 'gemini', baseUrl: gemini.url, apiKey: 'sk-test', firstByteMs },
    openai: { kind: 'openai', baseUrl: `${openai.url}/v1`, apiKey: 'sk-test', firstByteMs },
    text: { kind: 'openai', baseUrl: `${text.url}/v1`, apiKey: 'sk-test', tools: 'text', firstByteMs },
    ...clouds(bedrock.url, vertex.url, firstByteMs),
    cursor: { ...cursorSettings, transport: 'http2' },
    sse: { ...cursorSettings, transport: 'sse' },
  }
  return startGateway({ sessions: { progressMs }, backends }, options)
}

/** The settings of Claude on both clouds. */
export const clouds = (bedrock: string, vertex: string, firstByteMs?: number) => ({
  bedrock: {
    ...{ kind: 'anthropic', provider: 'bedrock', region: 'us-east-1', baseUrl: bedrock, firstByteMs },
    ...awsAccount,
  },
  vertex: {
    ...{ kind: 'anthropic', provider: 'vertex', region: 'us-east5', baseUrl: vertex, firstByteMs },
    ...{ project: 'my-project', accessToken: googleToken, models: ['claude-m0'] },
  },
})

/** A gateway for all tests of a file. */
export function useFaultGateway(
  upstreams: Upstreams,
  options: Partial<InternalOptions> = {},
  times = clocks,
): Running {
  const running = {} as Running
  beforeAll(async () => {
    Object.assign(running, await startFaultGateway(upstreams, options, times))
  })
  afterAll(() => running.gateway.close())
  return running
}

/** What a service says before its first token. */
export const opening: Record<HttpName, Step> = {
  anthropic: messageStart,
  bedrock: messageStart,
  vertex: messageStart,
  gemini: { frame: { candidates: [], responseId: 'r', modelVersion: 'm' } },
  openai: chunk({ role: 'assistant', content: '' }),
  text: chunk({ role: 'assistant', content: '' }),
}

export function clear(upstreams: Upstreams): void {
  for (const sim of Object.values(upstreams)) sim.clear()
}

/** No upstream request keeps running without a client. */
export async function untilIdle({ cursor, ...sims }: Upstreams): Promise<void> {
  const requests = () => Object.values(sims).flatMap((sim) => [...sim.requests])
  await until(() => requests().every(({ isOver }) => isOver) && cursor.runs.every(({ closed }) => closed))
}

export const readCall: CursorStep = { exec: { read: { path: 'a.txt' } } }
