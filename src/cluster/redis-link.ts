// The connection to Redis: loaded only if configured, quick to fail, and never in the way of a turn. It is up from a successful
// beat to the first failed command; while it is down, commands are refused at once.

import type { Redis, RedisOptions } from 'ioredis'
import type { Log } from '../observe/log.ts'
import type { DirectoryLink, ScriptName } from './directory-store.ts'
import { scripts } from './redis-scripts.ts'

export interface LinkTiming {
  /** The interval of beats while the link is up. */
  renewMs: number
  /** The interval of beats while the link is down. */
  retryMs: number
  /** The timeout of a command. */
  commandMs: number
  /** An open but silent connection is replaced after this time. */
  hangMs: number
}

const defaultLinkTiming: LinkTiming = { renewMs: 5_000, retryMs: 500, commandMs: 500, hangMs: 3_000 }

interface LinkOptions {
  url: string
  log: Log
  timing?: Partial<LinkTiming> | undefined
  beat(): Promise<void>
}

const longestReconnectMs = 2_000
/** Brief outages are reported at most this often; a lasting one is reported eventually. */
const quietMs = 30_000

/** A readable message: the library's text for an unexpected answer asks for a bug report. */
export function redisTrouble(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return /RESP type|Protocol error/.test(message) ? 'what answers there is not Redis' : message
}

/** Fails quickly, and connects only on request. Without `commandMs`, the caller limits the time of its commands. */
export async function openRedis(url: string, commandMs?: number): Promise<Redis> {
  const { Redis } = await import('ioredis').catch((error) => {
    throw new Error('"sessions.redis" needs the package ioredis, which is not installed', { cause: error })
  })
  let reconnectedAt = Number.NEGATIVE_INFINITY
  // The leader became a follower: the name will lead to another server, though perhaps not yet.
  const reconnectOnError = (error: Error) => {
    const now = performance.now()
    if (!error.message.startsWith('READONLY') || now - reconnectedAt < longestReconnectMs) return false
    reconnectedAt = now
    return true
  }
  const options = {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    ...(commandMs === undefined ? {} : { commandTimeout: commandMs }),
    connectTimeout: longestReconnectMs,
    disableClientInfo: true,
    protocol: 2 as const,
    retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 10), longestReconnectMs),
    reconnectOnError,
  } satisfies RedisOptions
  const { protocol, pathname } = new URL(url)
  return protocol === 'unix:' ? new Redis(decodeURIComponent(pathname), options) : new Redis(url, options)
}

/** Pauses of the process that one answer may meet. */
const mostPauses = 3

/** Fails if Redis takes longer. A pause of the whole process is not Redis's: after it, Redis has the same time again. */
function inTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let pauses = 0
    let timer: NodeJS.Timeout
    const wait = () => {
      const due = performance.now() + ms
      timer = setTimeout(() => {
        if (performance.now() - due > ms / 4 && pauses++ < mostPauses) wait()
        // What has arrived meanwhile is read first.
        else setImmediate(() => reject(new Error('the command timed out')))
      }, ms)
    }
    wait()
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

export class RedisLink implements DirectoryLink {
  readonly #options: LinkOptions
  readonly #timing: LinkTiming
  #redis: Redis | undefined
  #up = false
  #reported = false
  #reportedAt = Number.NEGATIVE_INFINITY
  #downSince = 0
  #lastError: Error | undefined
  #beating = false
  #stopped = false
  #timer: NodeJS.Timeout | undefined
  #onFirstUp: (() => void) | undefined

  constructor(options: LinkOptions) {
    this.#options = options
    this.#timing = { ...defaultLinkTiming, ...options.timing }
  }

  get up(): boolean {
    return this.#up
  }

  /** Fails if the library is missing: at startup rather than at the first request. */
  async load(): Promise<void> {
    if (this.#redis) return
    const redis = await openRedis(this.#options.url)
    for (const [name, lua] of Object.entries(scripts)) redis.defineCommand(name, { numberOfKeys: 1, lua })
    redis.on('error', (error: Error) => {
      this.#lastError = error
    })
    redis.on('ready', () => void this.#beat())
    redis.on('close', () => this.#onTrouble(this.#lastError ?? new Error('the connection was closed')))
    this.#redis = redis
  }

  async start(patienceMs: number): Promise<void> {
    await this.load()
    const up = new Promise<void>((resolve) => {
      this.#onFirstUp = resolve
      setTimeout(resolve, patienceMs).unref()
    })
    this.#downSince = Date.now()
    this.#redis?.connect().catch((error) => this.#onTrouble(error))
    await up
  }

  /** Waits no longer than one command may take. */
  async ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    if (!this.#up) return undefined
    try {
      return await inTime(question(), this.#timing.commandMs)
    } catch (error) {
      this.#onTrouble(error)
      return undefined
    }
  }

  run(name: ScriptName, key: string, ...values: string[]): Promise<unknown> {
    const commands = this.#redis as unknown as Record<string, (...args: string[]) => Promise<unknown>>
    return commands[name]?.(key, ...values) ?? Promise.reject(new Error('not connected'))
  }

  async read(key: string, maxBytes: number): Promise<string> {
    if (!this.#redis) throw new Error('not connected')
    return this.#redis.getrange(key, 0, maxBytes - 1).catch((error: Error) => {
      if (error.message.startsWith('WRONGTYPE')) return ''
      throw error
    })
  }

  delete(key: string): Promise<unknown> {
    return this.#redis?.del(key) ?? Promise.reject(new Error('not connected'))
  }

  stopBeating(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  close(): void {
    this.stopBeating()
    this.#up = false
    this.#redis?.disconnect()
  }

  async #beat(): Promise<void> {
    if (this.#beating || this.#stopped) return
    this.#beating = true
    clearTimeout(this.#timer)
    try {
      // It has several commands.
      await inTime(this.#options.beat(), 2 * this.#timing.commandMs)
      this.#onUp()
    } catch (error) {
      this.#onTrouble(error)
    } finally {
      this.#beating = false
      this.#beatLater()
    }
  }

  #beatLater(): void {
    clearTimeout(this.#timer)
    if (this.#stopped) return
    const { renewMs, retryMs } = this.#timing
    this.#timer = setTimeout(() => void this.#beat(), this.#up ? renewMs : retryMs).unref()
  }

  #onUp(): void {
    if (this.#stopped || this.#redis?.status !== 'ready') return
    this.#up = true
    this.#lastError = undefined
    this.#onFirstUp?.()
    if (this.#reported)
      this.#options.log.info('Redis is back: other instances can find the sessions here again')
    this.#reported = false
  }

  #onTrouble(error: unknown): void {
    if (this.#up) this.#downSince = Date.now()
    const wasUp = this.#up
    this.#up = false
    if (this.#stopped) return
    if (!this.#reported && performance.now() - this.#reportedAt > quietMs) {
      this.#reported = true
      this.#reportedAt = performance.now()
      const cause = this.#lastError ?? error
      this.#options.log.warn(
        'Redis cannot be used: sessions continue here, but other instances cannot find them',
        { error: redisTrouble(cause) },
      )
    }
    if (wasUp && !this.#beating) this.#beatLater()
    // The library waits for a silent connection as long as it is open.
    if (this.#redis?.status === 'ready' && Date.now() - this.#downSince > this.#timing.hangMs) {
      this.#downSince = Date.now()
      this.#redis.disconnect(true)
    }
  }
}
