// The reloads of a gateway process: by SIGHUP, by a command, and when a file changes.

import { errorFields } from '../observe/log.ts'
import type { Control, ReloadOutcome } from '../server/control.ts'
import { newControlToken, writeControlFile } from './control-file.ts'
import { FileWatch } from './file-watch.ts'
import { onHangup } from './hangup.ts'
import { type ReadConfig, type ReloadCause, Reloader, type ReloaderParts } from './reloader.ts'

/** What `serve` knows of the file that it was started with. */
export interface ReloadSource {
  file: string
  /** In force at the start. */
  first: ReadConfig
  /** Reads the file as it is now. Throws if it is wrong. */
  read(): ReadConfig
  /** False: the file is not watched, whatever the configuration says. */
  watches: boolean
  /** The folder of control files. */
  folder: string
}

interface Attached extends ReloaderParts {
  stop(reason: string): void
}

export class Reloading {
  readonly control: Control
  readonly #source: ReloadSource
  readonly #ends: (() => void)[] = []
  #parts: Attached | undefined
  #reloader: Reloader | undefined
  #isReady = false
  #isAsked = false

  /** Before anything else: a signal that comes early must not end the process. */
  constructor(source: ReloadSource) {
    this.#source = source
    this.control = { token: newControlToken(), reload: () => this.#reload('command') }
    onHangup({
      reload: () => {
        this.#isAsked = true
        if (this.#isReady) void this.#reload('SIGHUP')
      },
      stop: () => (this.#parts ? this.#parts.stop('SIGHUP') : process.exit(129)),
    })
  }

  /** The gateway exists. */
  attach(parts: Attached): void {
    this.#parts = parts
    this.#reloader = new Reloader({ ...this.#source, ...parts })
  }

  /** The gateway listens at this URL. */
  start(url: string): void {
    const { folder, file, watches } = this.#source
    this.#isReady = true
    try {
      this.#ends.push(writeControlFile(folder, { url, pid: process.pid, token: this.control.token, file }))
    } catch (error) {
      this.#parts?.log.warn('`dragoman reload` will not find this gateway; SIGHUP works', errorFields(error))
    }
    if (watches) this.#watch()
    if (this.#isAsked) void this.#reload('SIGHUP')
  }

  /** The gateway stops: nothing is taken over any more. */
  stop(): void {
    for (const end of this.#ends.splice(0)) end()
    this.#reloader?.stop()
  }

  #watch(): void {
    // The setting may change, too.
    const watched = () => {
      const { config, files } = this.#reloader?.inForce ?? this.#source.first
      return config.reload === 'watch' ? files : []
    }
    const onChange = () => {
      if (watched().length > 0) void this.#reload('changed file')
    }
    const watch = new FileWatch({ files: watched, onChange })
    this.#ends.push(() => watch.stop())
  }

  async #reload(by: ReloadCause): Promise<ReloadOutcome> {
    if (this.#reloader) return this.#reloader.reload(by)
    return { state: 'refused', problems: ['the gateway is starting'] }
  }
}
