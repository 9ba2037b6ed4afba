// An instance with a fake backend: its own part of the cluster, its own server, nothing else.

import { Latch } from '../src/base/latch.ts'
import { Cluster } from '../src/cluster/cluster.ts'
import type { DirectoryStore, OpenLink } from '../src/cluster/directory-store.ts'
import { RedisLink } from '../src/cluster/redis-link.ts'
import { StoreLink } from '../src/cluster/store-link.ts'
import { configSchema } from '../src/config/schema.ts'
import type { Backend, SessionState } from '../src/core/backend.ts'
import { GatewayError } from '../src/core/errors.ts'
import type { TurnEvent } from '../src/core/events.ts'
import { Notes } from '../src/core/notes.ts'
import type { TurnRequest } from '../src/core/request.ts'
import { respondError } from '../src/http/respond.ts'
import { createHttpServer } from '../src/http/server.ts'
import { Metrics } from '../src/observe/metrics.ts'
import { Scrubber } from '../src/observe/scrub.ts'
import { type KeptLog, keptLog, peerSecret } from './cluster-parts.ts'
import { createFakeBackend, type FakeBackend } from './fake-sessions.ts'

export interface Instance {
  url: string
  cluster: Cluster
  fake: FakeBackend
  /** The fake among its peers. */
  backend: Backend
  metrics: Metrics
  log: KeptLog
  /** Its connections break, and nothing answers any more; it stays announced. */
  cut(): void
  stopping: Latch
  close(): Promise<void>
}

/** By the URL of a Redis, or by the store that a parent process would have. */
export async function startInstance(place: string | DirectoryStore): Promise<Instance> {
  const log = keptLog()
  const openLink: OpenLink = (beat) =>
    typeof place === 'string'
      ? // A loaded machine is not a Redis that fails.
        new RedisLink({ url: place, log, beat, timing: { commandMs: 20_000 } })
      : new StoreLink({ store: place, log, beat })
  const metrics = new Metrics()
  const stopping = new Latch()
  const { sessions } = configSchema.parse({ backends: {} })
  const cluster = new Cluster({
    ...{ openLink, peerSecret, peerUrl: undefined, sessions, log, metrics },
    ...{ bodyLimits: () => ({ bytes: 1024 * 1024, values: 100_000 }), stopping, scrubber: new Scrubber() },
  })
  const fake = createFakeBackend()
  const backend = cluster.join(new Map([['fake', fake]])).get('fake') as Backend
  const server = createHttpServer(async (exchange) => {
    try {
      cluster.admit(exchange)
      await (exchange.path.endsWith('turns') ? cluster.serveTurn(exchange) : cluster.serveResults(exchange))
    } catch (error) {
      const failure = GatewayError.from(error)
      respondError(exchange, failure, { status: failure.status, body: {} })
    }
  })
  const url = await server.listen('127.0.0.1', 0)
  await cluster.start(url)
  const cut = () => {
    void server.stopAccepting()
    server.closeAll()
  }
  return {
    ...{ url, cluster, fake, backend, metrics, log, cut, stopping },
    async close() {
      cut()
      await backend.close()
      await cluster.close()
    },
  }
}

export interface Asked {
  batches: TurnEvent[][]
  events: TurnEvent[]
  session: SessionState | undefined
  notes: string[]
  error: GatewayError | undefined
}

export const context = (signal = new AbortController().signal, caller = 'laptop') => ({
  ...{ turnId: 'turn_1', caller: { key: caller }, signal, notes: new Notes(), wholeArguments: true },
})

/** One whole turn. */
export async function ask(
  { backend }: Instance,
  request: TurnRequest,
  options: { signal?: AbortSignal; caller?: string; onBatch?: (batch: readonly TurnEvent[]) => void } = {},
): Promise<Asked> {
  const base = context(options.signal, options.caller)
  const asked: Asked = { batches: [], events: [], session: undefined, notes: [], error: undefined }
  const onSession = (state: SessionState) => {
    asked.session = state
  }
  try {
    for await (const batch of backend.run(request, { ...base, onSession })) {
      asked.batches.push(batch)
      options.onBatch?.(batch)
    }
  } catch (error) {
    asked.error = error as GatewayError
  }
  return { ...asked, events: asked.batches.flat(), notes: base.notes.all }
}

export const firstRequest = (): TurnRequest => ({
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }], source: { role: 'user' } }],
  tools: [{ name: 'read', schema: { type: 'object' } }],
  stream: true,
  origin: { dialect: 'openai-chat', body: { private: 'body-canary' }, faithful: true },
})

/** The request after the calls of an answer. */
export function followUp({ events }: Pick<Asked, 'events'>, text = 'result'): TurnRequest {
  const request = firstRequest()
  const calls = events.filter((event) => event.type === 'tool-call-end')
  return {
    ...request,
    messages: [
      ...request.messages,
      {
        role: 'assistant',
        content: calls.map(({ callId, name, input }) => ({ type: 'tool-call', callId, name, input })),
      },
      {
        role: 'tool',
        results: calls.map(({ callId }) => ({ callId, content: [{ type: 'text', text }], source: { x: 1 } })),
      },
    ],
  }
}
