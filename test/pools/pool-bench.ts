// A gateway in front of one service with several accounts, each told by its key.

import { afterAll, beforeAll, beforeEach } from 'vitest'
import { SimAccounts } from '../../sim/accounts.ts'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import type { Sim } from '../../sim/server.ts'
import type { Gateway, InternalOptions } from '../../src/gateway.ts'
import { type Body, chat, readTool, startGateway, user } from '../harness.ts'

export const keyOf = (name: string) => `sk-pool-${name}-0123456789`
export const account = (name: string, more: Body = {}): Body => ({ name, apiKey: keyOf(name), ...more })

export interface PoolBench {
  url: string
  gateway: Gateway
  sim: Sim
  accounts: SimAccounts
  logs: string[]
  close(): Promise<void>
}

export interface PoolBenchOptions {
  accounts?: readonly Body[]
  pool?: Body
  settings?: Body
  gateway?: Partial<InternalOptions>
}

export async function startPoolBench(options: PoolBenchOptions = {}): Promise<PoolBench> {
  const { accounts: configured = ['a', 'b', 'c'].map((name) => account(name)), pool = {}, settings } = options
  const accounts = new SimAccounts()
  const sim = await startAnthropicSim({ accounts })
  const backends = {
    claude: { kind: 'anthropic', baseUrl: sim.url, accounts: configured, pool: { maxWaitMs: 300, ...pool } },
  }
  const started = await startGateway({ backends, ...settings }, options.gateway)
  return {
    ...started,
    sim,
    accounts,
    async close() {
      await started.gateway.close()
      await sim.close()
    },
  }
}

/** A bench for the tests of a `describe`, new for each of them. */
export function usePoolBench(options: PoolBenchOptions = {}): PoolBench {
  const bench = {} as PoolBench
  let isOpen = false
  const close = async () => {
    if (isOpen) await bench.close()
    isOpen = false
  }
  beforeAll(() => undefined)
  beforeEach(async () => {
    await close()
    Object.assign(bench, await startPoolBench(options))
    isOpen = true
  })
  afterAll(close)
  return bench
}

export const model = 'claude/claude-sonnet-4-5'

export interface Said {
  status: number
  account: string | null
  notes: string
  text: string
  retryAfter: string | null
  message: string
}

/** One turn of the conversation with this id. */
export async function say(
  url: string,
  { session, text = 'hello', headers = {}, body = {} }: SayOptions = {},
): Promise<Said> {
  const id = session === undefined ? {} : { 'x-claude-code-session-id': session }
  const asked = { model, messages: [user(text)], tools: [readTool], ...body }
  const { status, headers: answered, json } = await chat(url, asked, { ...id, ...headers })
  return {
    status,
    account: answered.get('x-dragoman-account'),
    notes: answered.get('x-dragoman-notes') ?? '',
    text: json.choices?.[0]?.message?.content ?? '',
    retryAfter: answered.get('retry-after'),
    message: json.error?.message ?? '',
  }
}

interface SayOptions {
  session?: string
  text?: string
  headers?: Record<string, string>
  body?: Body
}
