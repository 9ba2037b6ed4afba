// A gateway in front of the simulator whose model has no tools.

import { afterAll, afterEach, beforeAll } from 'vitest'
import { startTextSim, type TextSim, type TextSimOptions } from '../sim/text-chat.ts'
import type { Gateway } from '../src/gateway.ts'
import { startGateway } from './harness.ts'

export interface TextBench {
  url: string
  gateway: Gateway
  sim: TextSim
  logs: string[]
  close(): Promise<void>
}

export interface TextBenchOptions {
  sim?: TextSimOptions
  /** As in the configuration. */
  toolText?: Record<string, unknown>
}

export async function startTextBench(options: TextBenchOptions = {}): Promise<TextBench> {
  const sim = await startTextSim(options.sim)
  const text = {
    kind: 'openai',
    baseUrl: `${sim.url}/v1`,
    apiKey: 'sk-test',
    tools: 'text',
    ...(options.toolText ? { toolText: options.toolText } : {}),
  }
  const { gateway, url, logs } = await startGateway({ backends: { text } })
  const close = async () => {
    await gateway.close()
    await sim.close()
  }
  return { url, gateway, sim, logs, close }
}

/** For all tests of a file or a `describe`; cleared after each test. */
export function useTextBench(options: TextBenchOptions = {}): TextBench {
  const bench = {} as TextBench
  beforeAll(async () => {
    Object.assign(bench, await startTextBench(options))
  })
  afterAll(() => bench.close())
  afterEach(() => {
    bench.sim.clear()
    bench.logs.length = 0
  })
  return bench
}
