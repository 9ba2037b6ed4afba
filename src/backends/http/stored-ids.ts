// Which key received which id of a stored thing. All keys share the backend's account: without this record, one could reach the
// files and containers of another by naming them.

import { BoundedMap, entryBytes } from '../../base/bounded-map.ts'
import { type Fields, isObject, parseJson } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'
import type { IdFinder, NamedId } from '../../protocols/requests/stored-ids.ts'

/** Per key, so that one cannot push out what another needs. Containers live for 30 days. */
const limits = { maxBytes: 512 * 1024, ttlMs: 30 * 24 * 60 * 60 * 1000 }
const longestId = 256

export class StoredIds {
  readonly #backend: string
  readonly #finder: IdFinder
  readonly #byKey = new Map<string, BoundedMap<string, true>>()

  constructor(backend: string, finder: IdFinder) {
    this.#backend = backend
    this.#finder = finder
  }

  /** Remembers the ids in the JSON text of an event or answer. */
  see(key: string, text: string): void {
    if (!this.#finder.marks.some((mark) => text.includes(mark))) return
    const event = parseJson(text)
    if (!isObject(event)) return
    for (const id of this.#finder.given(event)) {
      if (id.length > longestId) continue
      const known = this.#byKey.get(key) ?? new BoundedMap<string, true>(limits)
      this.#byKey.set(key, known)
      known.set(id, true, 2 * id.length + entryBytes)
    }
  }

  /** Throws if the request names an id that this key has not received. */
  check(key: string, body: Readonly<Fields>): void {
    const known = this.#byKey.get(key)
    const foreign = this.#finder.named(body).find(({ id }) => !known?.get(id))
    if (foreign) throw this.#notFound(foreign)
  }

  #notFound({ id, param, what }: NamedId): GatewayError {
    return new GatewayError(
      'not-found',
      `${what} not found: ${JSON.stringify(id.slice(0, 100))}. Several keys share backend "${this.#backend}", so an id ` +
        'passes only for the key that received it in an answer of this gateway, as long as it is remembered.',
      { param, ...(what === 'thread' ? { serviceCode: 'thread_not_found' } : {}) },
    )
  }
}
