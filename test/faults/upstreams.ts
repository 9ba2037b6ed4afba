// The backends of a test matrix, and how each one is scripted.

import { afterAll, beforeAll } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { type CursorSim, type CursorStep, startCursorSim } from '../../sim/cursor.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import type { Step } from '../../sim/script.ts'
import type { Sim } from '../../sim/server.ts'
import { startTextSim } from '../../sim/text-chat.ts'
import type { Gateway, InternalOptions } from '../../src/gateway.ts'
import { until } from '../end-to-end/wire.ts'
import { startGateway } from '../harness.ts'
import { chunk, messageStart } from '../wire-cases/frames.ts'

export interface Upstreams {
  anthropic: Sim
  openai: Sim
  text: Sim
  cursor: CursorSim
}

export const httpNames = ['anthropic', 'openai', 'text'] as const
export type HttpName = (typeof httpNames)[number]
export type BackendName = HttpName | 'cursor' | 'sse'

/** Each case has its own model, so a fault of one case does not affect the next. */
export const cursorModels = Array.from({ length: 60 }, (_, at) => `m${at}`)
let models = 0
export const nextModel = (backend: BackendName) => `${backend}/m${models++ % cursorModels.length}`

/** Short enough that no case waits for long, long enough for a machine that is busy. */
export const clocks = { progressMs: 400, firstByteMs: 500 }

export function useUpstreams(): Upstreams {
  const upstreams = {} as Upstreams
  beforeAll(async () => {
    Object.assign(upstreams, {
      anthropic: await startAnthropicSim(),
      openai: await startOpenAISim(),
      text: await startTextSim(),
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
  { anthropic, openai, text, cursor }: Upstreams,
  options: Partial<InternalOptions> = {},
  { progressMs, firstByteMs } = clocks,
): Promise<Running> {
  const cursorSettings = { kind: 'cursor', baseUrl: cursor.url, apiKey: 'crsr_test' }
  const backends = {
    anthropic: { kind: 'anthropic', baseUrl: anthropic.url, apiKey: 'sk-test', firstByteMs },
    openai: { kind: 'openai', baseUrl: `${openai.url}/v1`, apiKey: 'sk-test', firstByteMs },
    text: { kind: 'openai', baseUrl: `${text.url}/v1`, apiKey: 'sk-test', tools: 'text', firstByteMs },
    cursor: { ...cursorSettings, transport: 'http2' },
    sse: { ...cursorSettings, transport: 'sse' },
  }
  return startGateway({ sessions: { progressMs }, backends }, options)
}

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
