// The generation in force, and earlier ones that are still needed: by requests that were admitted with them, and by runs that wait
// for tool results. A backend is closed with its last request and its last run.

import type { Backend } from '../core/backend.ts'
import type { Target } from '../server/catalog.ts'
import type { Entries } from '../server/entry.ts'
import type { EarlierRuns } from '../server/serving.ts'
import type { Generation } from './generation.ts'

interface GenerationsOptions {
  /** How long runs on other instances may ask for the backends of an earlier generation; 0 for a single gateway. */
  peerMs: number
  onClose(backend: Backend): Promise<void>
  now?: () => number
}

/** Earlier generations that only runs need. Beyond this limit, the runs of the oldest begin anew. */
const mostEarlier = 256

interface Earlier {
  generation: Generation
  /** The runs that began with it, by session id. */
  runs: Set<string>
  until: number
}

export class Generations implements Entries, EarlierRuns {
  readonly #options: GenerationsOptions
  readonly #now: () => number
  #current: Generation
  /** The newest first. */
  #earlier: Earlier[] = []
  readonly #requests = new Map<Generation, number>()
  readonly #open = new Map<Backend, string>()
  readonly #watched = new WeakSet<Backend>()
  readonly #listeners = new Set<() => void>()
  #sweeping = false
  #timer: NodeJS.Timeout | undefined

  constructor(first: Generation, options: GenerationsOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#current = first
    this.#add(first)
  }

  get current(): Generation {
    return this.#current
  }

  /** By name: those in force, then earlier ones that are still open. */
  *backends(): Generator<readonly [string, Backend]> {
    yield* this.#current.backends
    const inForce = this.#inForce()
    for (const [backend, name] of this.#open) if (!inForce.has(backend)) yield [name, backend]
  }

  enter(): Generation {
    const generation = this.#current
    this.#requests.set(generation, (this.#requests.get(generation) ?? 0) + 1)
    return generation
  }

  leave(entry: Generation): void {
    const left = (this.#requests.get(entry) ?? 0) - 1
    // The count of the generation in force stays, at 0 too: a map whose entries come and go is copied each time.
    if (left > 0 || entry === this.#current) return void this.#requests.set(entry, left)
    this.#requests.delete(entry)
    // Its last requests may have begun runs.
    const earlier = this.#earlier.find(({ generation }) => generation === entry)
    if (earlier) for (const id of this.#newRuns(entry)) earlier.runs.add(id)
    this.#sweep()
  }

  onSwitch(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Cannot fail: all that might was done while the generation was built. */
  switchTo(next: Generation): void {
    const generation = this.#current
    const { peerMs } = this.#options
    this.#current = next
    if (this.#requests.get(generation) === 0) this.#requests.delete(generation)
    this.#earlier.unshift({ generation, runs: this.#newRuns(generation), until: this.#now() + peerMs })
    this.#add(next)
    for (const backend of generation.backends.values()) this.#watch(backend)
    for (const listener of [...this.#listeners]) listener()
    clearTimeout(this.#timer)
    if (peerMs > 0) this.#timer = setTimeout(() => this.#sweep(), peerMs + 1).unref()
    this.#sweep()
  }

  find(sessionId: string, model: string): Target | undefined {
    const continues = ({ backend: { sessions }, model: own }: Target) =>
      sessions?.modelOf?.(sessionId) === own
    if (this.#earlier.length === 0 || this.#current.services.catalog.known(model).some(continues))
      return undefined
    for (const { generation } of this.#earlier) {
      const target = generation.services.catalog.known(model).find(continues)
      if (target) return target
    }
    return undefined
  }

  async findElsewhere(sessionId: string, model: string): Promise<Target | undefined> {
    for (const { generation } of this.#earlier)
      for (const target of generation.services.catalog.known(model))
        if (await target.backend.sessions?.isElsewhere?.(sessionId)) return target
    return undefined
  }

  /** Closes every backend. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    const all = [...this.#open.keys()]
    this.#open.clear()
    await Promise.all(all.map((backend) => this.#options.onClose(backend)))
  }

  #add({ backends }: Generation): void {
    for (const [name, backend] of backends) this.#open.set(backend, name)
  }

  #watch(backend: Backend): void {
    if (this.#inForce().has(backend) || this.#watched.has(backend)) return
    this.#watched.add(backend)
    backend.sessions?.onGone(() => this.#sweepLater())
  }

  /** The runs of its backends that no earlier generation has begun. */
  #newRuns(generation: Generation): Set<string> {
    const known = (id: string) => this.#earlier.some(({ runs }) => runs.has(id))
    return new Set(runsOf(generation).filter((id) => !known(id)))
  }

  #inForce(): Set<Backend> {
    return new Set(this.#current.backends.values())
  }

  /** Not within the end of a run, which this may close the connections of. */
  #sweepLater(): void {
    if (this.#sweeping) return
    this.#sweeping = true
    setImmediate(() => {
      this.#sweeping = false
      this.#sweep()
    })
  }

  #sweep(): void {
    const now = this.#now()
    const isServing = ({ generation }: Earlier) => this.#requests.has(generation)
    this.#earlier = this.#earlier.filter((earlier, at) => {
      if (isServing(earlier)) return true
      const has = (id: string) => sessionHosts(earlier.generation).some((host) => host.has(id))
      for (const id of earlier.runs) if (!has(id)) earlier.runs.delete(id)
      return at < mostEarlier && (earlier.runs.size > 0 || now < earlier.until)
    })
    const inUse = this.#inForce()
    for (const earlier of this.#earlier)
      if (isServing(earlier)) for (const backend of earlier.generation.backends.values()) inUse.add(backend)
    for (const backend of [...this.#open.keys()]) {
      if (inUse.has(backend) || hasRuns(backend)) continue
      this.#open.delete(backend)
      void this.#options.onClose(backend)
    }
  }
}

const sessionHosts = ({ backends }: Generation) =>
  [...backends.values()].flatMap(({ sessions }) => sessions ?? [])

const runsOf = (generation: Generation) =>
  sessionHosts(generation).flatMap((host) => host.list?.().map(({ id }) => id) ?? [])

function hasRuns({ sessions }: Backend): boolean {
  const { answering, waiting } = sessions?.counts() ?? { answering: 0, waiting: 0 }
  return answering + waiting > 0
}
