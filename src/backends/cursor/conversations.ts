// The service's own state of conversations after their last turn, with the blobs that it refers to. The next message of the
// same conversation begins from this state instead of from a history that the gateway builds.

import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { BoundedMap, entryBytes } from '../../base/bounded-map.ts'
import { type Caller, callerId } from '../../core/caller.ts'
import type { ConversationEnd } from '../../protocols/cursor-agent/run-options.ts'
import { type SealedEnd, seal, sealedBytes, unseal } from '../../protocols/cursor-agent/sealed-end.ts'

/** Keeps conversations beyond the life of the process. */
export interface ConversationFolder {
  save(key: string, end: ConversationEnd): Promise<void>
  load(key: string): Promise<ConversationEnd | undefined>
  remove(key: string): Promise<void>
}

export interface ConversationKey {
  caller: Caller
  model: string
  /** The fingerprint of all messages, including the last answer. */
  fingerprint: string
}

interface Known {
  end: Promise<SealedEnd | undefined>
  isUsed: boolean
}

const maxBytes = 128 * 1024 * 1024
const ttlMs = 6 * 60 * 60_000
/** How long to wait for the state of a turn that has just ended. */
const patienceMs = 1_000

export class Conversations {
  readonly #known = new BoundedMap<string, Known | 'ambiguous'>({ maxBytes, ttlMs })
  readonly #folder: ConversationFolder | undefined

  constructor(folder?: ConversationFolder) {
    this.#folder = folder
  }

  /** `ended`: the service sends the state after the last text of its answer. */
  add(key: ConversationKey, ended: Promise<ConversationEnd | undefined>): void {
    const name = nameOf(key)
    const end = sealed(ended)
    // Two windows with exactly the same messages: the next turn could belong to either.
    const isSecond = this.#known.get(name) !== undefined
    this.#known.set(name, isSecond ? 'ambiguous' : { end, isUsed: false }, entryBytes)
    void end.then(async (state) => {
      const known = this.#known.get(name)
      if (known === undefined || known === 'ambiguous' || known.end !== end) return
      if (state === undefined) return this.#known.delete(name)
      this.#known.set(name, known, sizeOf(state))
      await this.#folder?.save(name, unseal(state))
    })
  }

  /** The state for the next turn. A second turn from the same state is a fork and gets a conversation id of its own. */
  async find(key: ConversationKey, newId: () => string): Promise<ConversationEnd | undefined> {
    const name = nameOf(key)
    const known = this.#known.get(name)
    if (known === 'ambiguous') return undefined
    if (known === undefined) return this.#load(name)
    const { isUsed } = known
    known.isUsed = true
    const kept = await Promise.race([known.end, sleep(patienceMs, undefined, { ref: false })])
    const end = kept && unseal(kept)
    return end && isUsed ? { ...end, conversationId: newId() } : end
  }

  /** The state is registered before the load ends, so that a second request in the meantime is a fork. */
  async #load(name: string): Promise<ConversationEnd | undefined> {
    if (!this.#folder) return undefined
    const loaded = this.#folder.load(name)
    const known = { end: sealed(loaded), isUsed: true }
    this.#known.set(name, known, entryBytes)
    const end = await known.end
    if (this.#known.get(name) === known) {
      if (end) this.#known.set(name, known, sizeOf(end))
      else this.#known.delete(name)
    }
    return loaded
  }

  /** Frees the memory of a state that its conversation no longer needs. An ambiguous state stays ambiguous. */
  letGo(key: ConversationKey): void {
    const name = nameOf(key)
    if (this.#known.get(name) !== 'ambiguous') this.#known.delete(name)
  }

  /** Removes a state that the service refused. */
  async forget(key: ConversationKey): Promise<void> {
    const name = nameOf(key)
    this.#known.delete(name)
    await this.#folder?.remove(name)
  }
}

const sizeOf = (end: SealedEnd) => sealedBytes(end) + entryBytes

const sealed = (end: Promise<ConversationEnd | undefined>) => end.then((state) => state && seal(state))

/** JSON separates the parts without ambiguity. */
const nameOf = ({ caller, model, fingerprint }: ConversationKey) =>
  createHash('sha256')
    .update(JSON.stringify([callerId(caller), model, fingerprint]))
    .digest('hex')
