// The link to a store that lives as long as this process: in the parent process, or in this one. It is up from the first beat; a
// command fails only if the parent is gone.

import type { Log } from '../observe/log.ts'
import type { DirectoryLink, DirectoryStore, ScriptName } from './directory-store.ts'

interface StoreLinkOptions {
  store: DirectoryStore
  log: Log
  renewMs?: number
  beat(): Promise<void>
}

export class StoreLink implements DirectoryLink {
  readonly #options: StoreLinkOptions
  #up = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: StoreLinkOptions) {
    this.#options = options
  }

  get up(): boolean {
    return this.#up
  }

  async load(): Promise<void> {
    return undefined
  }

  async start(): Promise<void> {
    await this.#options.beat()
    this.#up = true
    const again = () => void this.ask(this.#options.beat)
    this.#timer = setInterval(again, this.#options.renewMs ?? 5_000).unref()
  }

  async ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    if (!this.#up) return undefined
    try {
      return await question()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      // After close, failures are expected.
      if (this.#up) this.#options.log.warn('sessions cannot be looked up', { error: reason })
      return undefined
    }
  }

  run(name: ScriptName, key: string, ...values: string[]): Promise<unknown> {
    return this.#options.store.run(name, key, ...values)
  }

  read(key: string, maxBytes: number): Promise<string> {
    return this.#options.store.read(key, maxBytes)
  }

  delete(key: string): Promise<unknown> {
    return this.#options.store.delete(key)
  }

  stopBeating(): void {
    clearInterval(this.#timer)
  }

  close(): void {
    this.stopBeating()
    this.#up = false
  }
}
