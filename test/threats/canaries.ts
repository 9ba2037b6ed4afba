// A gateway whose secrets are all canaries, and everything it sends or writes except the model's text.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { startBedrockSim } from '../../sim/bedrock.ts'
import { type CursorSim, startCursorSim } from '../../sim/cursor.ts'
import { startGeminiSim } from '../../sim/gemini.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import { type QwenWebSim, startQwenWebSim } from '../../sim/qwen-web.ts'
import type { Sim } from '../../sim/server.ts'
import { startVertexSim } from '../../sim/vertex.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import { createGateway, type Gateway } from '../../src/gateway.ts'
import { freePort } from '../end-to-end/wire.ts'
import { noBreaker, noRetries } from '../harness.ts'
import { awsKeys, canaries, settingsOf } from './cases/secrets.ts'

export interface Canaries {
  url: string
  gateway: Gateway
  openai: Sim
  anthropic: Sim
  cursor: CursorSim
  qwen: QwenWebSim
  gemini: Sim
  bedrock: Sim
  vertex: Sim
  logs: string[]
  call(path: string, body: unknown, headers?: Record<string, string>): Promise<number>
  get(path: string, headers?: Record<string, string>): Promise<number>
  /** All that was logged, answered, counted and written to the usage file since the last test. */
  everything(): Promise<string>
}

export function useCanaries(): Canaries {
  const bench = {} as Canaries
  const answers: string[] = []
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dragoman-canaries-'))
    const usageFile = join(folder, 'usage.jsonl')
    const [openai, anthropic] = [await startOpenAISim(), await startAnthropicSim()]
    const [cursor, qwen] = [await startCursorSim(), await startQwenWebSim()]
    const gemini = await startGeminiSim()
    const bedrock = await startBedrockSim({ signers: [awsKeys], apiKey: canaries.bedrock })
    const vertex = await startVertexSim({ tokens: [canaries.vertex] })
    const port = await freePort()
    const settings = settingsOf({ openai, anthropic, cursor, qwen, gemini, bedrock, vertex, port })
    const { config, secrets } = parseConfig(JSON.stringify(settings), {
      environment: readEnvironment({ HOME: '/nonexistent', CANARY: canaries.environment }),
    })
    const logs: string[] = []
    const keys = settings.auth.keys
    const gateway = await createGateway({
      ...{ config, keys, secrets, usageFile, retryPolicy: noRetries, breaker: noBreaker },
      writeLog: (line) => logs.push(line),
    })
    const url = await gateway.listen()
    const send = async (path: string, init: RequestInit) => {
      const answer = await fetch(url + path, init)
      answers.push(`${[...answer.headers].flat().join('\n')}\n${await answer.text()}`)
      return answer.status
    }
    const authorization = `Bearer ${canaries.gateway}`
    Object.assign(bench, { url, gateway, openai, anthropic, cursor, qwen, gemini, bedrock, vertex, logs })
    bench.call = (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
    bench.get = (path, headers = {}) => send(path, { headers: { authorization, ...headers } })
    bench.everything = async () => {
      await bench.get('/metrics')
      return [...logs, ...answers, await readFile(usageFile, 'utf8').catch(() => '')].join('\n')
    }
  })
  beforeEach(() => {
    bench.logs.length = 0
    answers.length = 0
    for (const sim of simsOf(bench)) sim.clear()
  })
  afterAll(async () => {
    await bench.gateway.close()
    await Promise.all(simsOf(bench).map((sim) => sim.close()))
    await rm(folder, { recursive: true })
  })
  return bench
}

const simsOf = ({ openai, anthropic, cursor, qwen, gemini, bedrock, vertex }: Canaries) => [
  ...[openai, anthropic, cursor, qwen, gemini, bedrock, vertex],
]
