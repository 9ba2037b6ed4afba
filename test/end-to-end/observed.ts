// A gateway whose secrets are all canaries, and everything it sends or writes except the model's text.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import type { Sim } from '../../sim/server.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import { createGateway } from '../../src/gateway.ts'
import { noRetries } from '../harness.ts'
import { freePort } from './wire.ts'

export const canaries = {
  gateway: 'gw-canary-aaaaaaaaaaaaaaaa-0001',
  other: 'gw-canary-bbbbbbbbbbbbbbbb-0002',
  upstream: 'sk-canary-ffffffffffffffff-0003',
  environment: 'env-canary-cccccccccccccccc-0004',
  header: 'hdr-canary-dddddddddddddddd-0005',
}
/** Odd enough to be written differently inside JSON inside JSON. */
const quotedCanary = 'quoted-canary-"with\\slashes"-0006'
const urlCanary = 'url-canary-eeeeeeeeeeeeeeee-0007'

export interface Answer {
  status: number
  headers: Headers
  text: string
}

export interface UsageLine {
  [field: string]: unknown
}

export interface Observed {
  openai: Sim
  anthropic: Sim
  logs: string[]
  call(body: unknown, options?: { key?: string; path?: string; method?: string }): Promise<Answer>
  /** A chat request with a body of any kind. */
  send(init: RequestInit & { duplex?: 'half' }): Promise<Answer>
  metrics(): Promise<string>
  usage(): Promise<UsageLine[]>
  /** Forgets logs and answers. */
  clear(): void
  everything(): Promise<string>
  close(): Promise<void>
}

export async function startObserved(): Promise<Observed> {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-observe-'))
  const usageFile = join(folder, 'usage', 'usage.jsonl')
  const openai = await startOpenAISim()
  const anthropic = await startAnthropicSim()
  const dead = `http://127.0.0.1:${await freePort()}`
  const settings = {
    listen: { port: 0 },
    log: { level: 'debug' },
    backends: {
      openai: {
        kind: 'openai',
        baseUrl: `${openai.url}/v1`,
        apiKey: canaries.upstream,
        headers: { 'x-tenant-auth': canaries.header, 'x-second-key': quotedCanary },
      },
      anthropic: {
        kind: 'anthropic',
        baseUrl: anthropic.url,
        apiKey: '{env:CANARY}',
        headers: { 'x-trace': 'id {env:CANARY}' },
      },
      dead: {
        kind: 'openai',
        baseUrl: dead,
        apiKey: canaries.upstream,
        connect: { proxy: `http://user:${urlCanary}@127.0.0.1:${await freePort()}` },
      },
    },
    models: { fallen: ['dead/x', 'openai/gpt-demo'] },
  }
  const { config, secrets } = parseConfig(JSON.stringify(settings), {
    environment: readEnvironment({ HOME: '/nonexistent', CANARY: canaries.environment }),
  })
  const logs: string[] = []
  const answers: string[] = []
  const gateway = await createGateway({
    config,
    keys: [
      { name: 'laptop', key: canaries.gateway },
      { name: 'desk', key: canaries.other },
    ],
    secrets,
    retryPolicy: noRetries,
    usageFile,
    writeLog: (line) => logs.push(line),
  })
  const url = await gateway.listen()

  async function send(
    init: RequestInit & { duplex?: 'half' },
    key = canaries.gateway,
    path = '/v1/chat/completions',
  ) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, ...init })
    const text = await answer.text()
    answers.push(`${[...answer.headers].flat().join('\n')}\n${text}`)
    return { status: answer.status, headers: answer.headers, text }
  }
  const call: Observed['call'] = (body, { key, path, method = 'POST' } = {}) =>
    send(
      {
        method,
        ...(method === 'POST' ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
      },
      key,
      path,
    )
  const metrics = async () => (await call(undefined, { path: '/metrics', method: 'GET' })).text
  const usageText = () => readFile(usageFile, 'utf8').catch(() => '')

  return {
    openai,
    anthropic,
    logs,
    call,
    send,
    metrics,
    usage: async () =>
      (await usageText())
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    clear() {
      logs.length = 0
      answers.length = 0
      openai.clear()
      anthropic.clear()
    },
    everything: async () => [...logs, ...answers, await metrics(), await usageText()].join('\n'),
    async close() {
      await gateway.close()
      await Promise.all([openai.close(), anthropic.close()])
      await rm(folder, { recursive: true })
    },
  }
}
