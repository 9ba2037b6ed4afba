// What is known of accounts, over a restart: $XDG_STATE_HOME/dragoman/accounts.json. It has no secret; without it, accounts that are
// out would be asked again.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, parseJson } from '../../base/json.ts'
import { replaceFile } from '../../base/platform/replace-file.ts'
import { readRegularFile } from '../../base/read-file.ts'

const mostBytes = 4 * 1024 * 1024
/** Of accounts that are not configured any more. The oldest leave first. */
const mostRecords = 500

export class AccountFile {
  readonly #folder: string
  readonly #warn: (message: string) => void
  #records: Map<string, string> | undefined
  #writing: Promise<void> | undefined
  #isStale = false

  constructor(folder: string, warn: (message: string) => void) {
    this.#folder = folder
    this.#warn = warn
  }

  get(id: string): string | undefined {
    return this.#read().get(id)
  }

  set(id: string, record: string): void {
    const records = this.#read()
    records.delete(id)
    records.set(id, record)
    for (const oldest of records.keys()) if (records.size > mostRecords) records.delete(oldest)
    this.#isStale = true
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
  }

  /** Resolves once all is on disk. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing
  }

  get #path(): string {
    return join(this.#folder, 'accounts.json')
  }

  #read(): Map<string, string> {
    if (this.#records) return this.#records
    let found: unknown
    try {
      found = parseJson(readRegularFile(this.#path, { maxBytes: mostBytes }).toString('utf8'))
    } catch {
      found = undefined
    }
    const entries = Object.entries(isObject(found) ? found : {})
    this.#records = new Map(
      entries.flatMap(([id, record]) => (typeof record === 'string' ? [[id, record] as const] : [])),
    )
    return this.#records
  }

  async #write(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false
      const draft = `${this.#path}.${process.pid}`
      try {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 })
        await writeFile(draft, `${JSON.stringify(Object.fromEntries(this.#read()))}\n`, { mode: 0o600 })
        await replaceFile(draft, this.#path)
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        this.#warn(`The state of accounts cannot be kept in ${this.#path} (${code}); a restart forgets it.`)
      }
    }
  }
}
