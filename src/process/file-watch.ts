// Notices that files have changed, by looking at them every second. Not by the system's events: those do not come from network file
// systems and some container mounts, their number is limited, and they follow neither an editor that replaces the file nor
// Kubernetes, which swaps a link in another folder. A look costs a few system calls.

import type { BigIntStats } from 'node:fs'
import { stat } from 'node:fs/promises'

interface FileWatchOptions {
  /** All files; asked for at each look. */
  files(): readonly string[]
  /** They have changed, and have stayed the same since the look before. Also called once at the start: they may have changed since they were read. */
  onChange(): void
  everyMs?: number
  /** Undefined if there is no such file. */
  stampOf?(file: string): Promise<string | undefined>
}

/** A file that is missing for this many looks is not just being replaced. */
const missingLooks = 5

export class FileWatch {
  readonly #options: FileWatchOptions
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  /** What was reported last, and what was seen last. */
  #reported: string | undefined
  #seen = ''
  #looks = 0

  constructor(options: FileWatchOptions) {
    this.#options = options
    this.#arm()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #arm(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => void this.#look().then(() => this.#arm()), this.#options.everyMs ?? 1_000)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    const { files, onChange, stampOf = stampOfFile } = this.#options
    const names = files()
    const stamps = await Promise.all(names.map(stampOf))
    const seen = JSON.stringify(names.map((name, at) => [name, stamps[at] ?? null]))
    this.#looks = seen === this.#seen ? this.#looks + 1 : 0
    this.#seen = seen
    const enough = stamps.includes(undefined) ? missingLooks : 1
    if (this.#isStopped || seen === this.#reported || this.#looks < enough) return
    this.#reported = seen
    onChange()
  }
}

/** Of the file that a link leads to. */
async function stampOfFile(file: string): Promise<string | undefined> {
  const found: BigIntStats | undefined = await stat(file, { bigint: true }).catch(() => undefined)
  return found && [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ')
}
