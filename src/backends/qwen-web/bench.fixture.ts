// The backend with its simulator, for tests.

import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type QwenWebSim, type QwenWebSimOptions, startQwenWebSim } from '../../../sim/qwen-web.ts'
import { checkTurn } from '../../../test/check-turn.ts'
import type { Backend, TurnContext } from '../../core/backend.ts'
import { type CollectedTurn, TurnCollector } from '../../core/collect.ts'
import type { TurnEvent } from '../../core/events.ts'
import { Notes } from '../../core/notes.ts'
import type { AssistantPart, Message, TurnRequest } from '../../core/request.ts'
import { Turn } from '../../core/turn.ts'
import { createUpstreamClient } from '../../upstream/client.ts'
import { createQwenWebBackend, type QwenWebBackendOptions } from './backend.ts'

export const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })
export const system = (text: string): Message => ({ role: 'system', content: [{ type: 'text', text }] })
export const assistant = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] })
export const read = {
  name: 'read',
  schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}

export const requestOf = (messages: Message[], more: Partial<TurnRequest> = {}): TurnRequest => ({
  model: 'qwen3-max',
  messages,
  tools: [],
  stream: true,
  origin: { dialect: 'none', body: {}, faithful: false },
  ...more,
})

/** An answer as the client sends it back. */
export function sentBack({ parts }: CollectedTurn): Message {
  const content = parts.filter((part): part is AssistantPart & typeof part => part.type !== 'reasoning')
  return { role: 'assistant', content }
}

/** A request that the simulator received. */
export interface Asked {
  chatId: string
  parentId: string | null
  text: string
}

interface QwenBench {
  backend: Backend
  sim: QwenWebSim
  /** The requests, without new chats. */
  asked(): Asked[]
  newChats(): number
  events(request: TurnRequest, context?: Partial<TurnContext>): Promise<TurnEvent[]>
  turn(request: TurnRequest, context?: Partial<TurnContext>): Promise<CollectedTurn>
}

export const contextOf = (more: Partial<TurnContext> = {}): TurnContext => ({
  turnId: 'turn_1',
  caller: { key: 'me' },
  signal: new AbortController().signal,
  notes: new Notes(),
  wholeArguments: true,
  ...more,
})

export async function startQwenBench(
  settings: Partial<QwenWebBackendOptions> = {},
  options: QwenWebSimOptions = {},
): Promise<QwenBench> {
  const sim = await startQwenWebSim({ apiKey: 'test-token', ...options })
  const backend = createQwenWebBackend({
    name: 'qwen',
    client: createUpstreamClient(sim.url),
    token: 'test-token',
    version: '0.2.81',
    headers: {},
    thinking: 'auto',
    deleteChats: false,
    toolText: { format: 'json', formats: {}, tag: 'use_tool', secondTry: true, systemRole: true },
    progressMs: 2_000,
    firstByteMs: 20_000,
    busyWaitMs: 20,
    ...settings,
  })
  async function events(request: TurnRequest, context: Partial<TurnContext> = {}): Promise<TurnEvent[]> {
    const turn = new Turn(backend.run(request, contextOf(context)))
    const all: TurnEvent[] = []
    for (let batch = await turn.next(); batch; batch = await turn.next()) all.push(...batch)
    expect(checkTurn(all)).toEqual([])
    return all
  }
  return {
    backend,
    sim,
    asked: () =>
      sim.requests.filter(({ path }) => path.endsWith('/completions')).map(({ body }) => readAsked(body)),
    newChats: () => sim.requests.filter(({ path }) => path.endsWith('/new')).length,
    events,
    async turn(request, context) {
      const collector = new TurnCollector()
      collector.push(await events(request, context))
      if (collector.error) throw collector.error
      return collector.turn
    },
  }
}

function readAsked(body: unknown): Asked {
  const {
    chat_id: chatId,
    parent_id: parentId,
    messages,
  } = body as {
    chat_id: string
    parent_id: string | null
    messages: { content: string }[]
  }
  return { chatId, parentId, text: messages[0]?.content ?? '' }
}

/** One for all tests of a file or of a `describe`. The simulator must not have recorded a violation. */
export function useQwenBench(...options: Parameters<typeof startQwenBench>): QwenBench {
  const bench = {} as QwenBench
  beforeAll(async () => {
    Object.assign(bench, await startQwenBench(...options))
  })
  afterEach(() => {
    expect(bench.sim.violations).toEqual([])
    bench.sim.clear()
  })
  afterAll(async () => {
    await bench.backend.close()
    await bench.sim.close()
  })
  return bench
}
