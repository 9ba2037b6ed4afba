// Which instance has which session, for all instances behind one balancer, in Redis (or for all workers of one process,
// in their parent: directory-store.ts):
//
//     dragoman:i:INSTANCE   how the instance is reached, for as long as it lives
//     dragoman:s:{SESSION}  INSTANCE|EPOCH, who has it
//     dragoman:epoch        counts up; never expires, or it would begin again
//
// A session's owner lives if its instance's record does. The store may be gone at any time: then nothing is found, what
// is here goes on, and all of it is written again when the store is back.

import { randomId } from '../base/ids.ts'
import type { Log } from '../observe/log.ts'
import { type DirectoryLink, highestEpoch, type OpenLink } from './directory-store.ts'
import { instanceRecord, readInstanceRecord } from './instance-record.ts'

export interface Owner {
  /** `INSTANCE|EPOCH`, as it stands in the store. */
  value: string
  /** Where it is reached; undefined when it is no more. */
  url: string | undefined
}

export interface DirectoryOptions {
  openLink: OpenLink
  secret: string
  /** How long a session may wait for its next request. */
  idleMs: number
  log: Log
  /** Another instance has taken over a session that is still here. */
  onLost(sessionId: string): void
  /** How long a sign of life counts. */
  instanceMs?: number
}

interface Held {
  /** Known once the store has been asked for an epoch. */
  value?: string
  naming?: Promise<unknown> | undefined
  /** When the store last had it; 0 when it may not. */
  writtenAt: number
}

const startPatienceMs = 1_000
const sessionGraceMs = 60_000
/** Sessions that are written at once. */
const writtenTogether = 50

/** A URL and its proof. */
const longestRecord = 4_096

const epochKey = 'dragoman:epoch'
const instanceKey = (instance: string) => `dragoman:i:${instance}`
/** A pattern for all of them. */
export const instanceKeys = instanceKey('*')
const sessionKey = (sessionId: string) => `dragoman:s:{${sessionId}}`

export class SessionDirectory {
  readonly instance = randomId(16)
  readonly #options: DirectoryOptions
  readonly #link: DirectoryLink
  readonly #held = new Map<string, Held>()
  readonly #sessionMs: number
  readonly #instanceMs: string
  #url = ''
  #announced = false
  #highestEpoch = 0
  #warned = false
  #withdrawal: Promise<void> | undefined

  constructor(options: DirectoryOptions) {
    this.#options = options
    this.#sessionMs = options.idleMs + sessionGraceMs
    this.#instanceMs = String(options.instanceMs ?? 15_000)
    this.#link = options.openLink(() => this.#beat())
  }

  get up(): boolean {
    return this.#link.up
  }

  /** Sessions here that the others should find. */
  get size(): number {
    return this.#held.size
  }

  load(): Promise<void> {
    return this.#link.load()
  }

  /** Tells the others how this instance is reached; goes on in the background where the store is not there yet. */
  start(url: string): Promise<void> {
    this.#url = url
    return this.#link.start(startPatienceMs)
  }

  /** The session is here. Resolves when the others can find it, or cannot be told now. */
  async claim(sessionId: string): Promise<void> {
    if (this.#withdrawal) return
    this.#hold(sessionId).writtenAt = 0
    await this.#link.ask(() => this.#claimNow(sessionId))
  }

  /** The session is no longer here. */
  release(sessionId: string): void {
    const value = this.#held.get(sessionId)?.value
    this.#held.delete(sessionId)
    if (value !== undefined)
      void this.#link.ask(() => this.#link.run('release', sessionKey(sessionId), value))
  }

  /** The session is here and no other instance has taken it over, as far as can be known. */
  async holds(sessionId: string): Promise<boolean> {
    this.#hold(sessionId)
    return (await this.#link.ask(() => this.#claimNow(sessionId))) ?? true
  }

  /** As what the session is known to the others. */
  valueOf(sessionId: string): string | undefined {
    return this.#held.get(sessionId)?.value
  }

  isOwn(value: string): boolean {
    return value.startsWith(`${this.instance}|`)
  }

  /** Where another instance is reached; undefined when it is no more, or cannot be looked up. */
  locate(instance: string): Promise<string | undefined> {
    return this.#link.ask(() => this.#urlOf(instance))
  }

  async find(sessionId: string): Promise<'here' | Owner | undefined> {
    return this.#link.ask(async () => {
      const value = String(await this.#link.run('owner', sessionKey(sessionId)))
      return value === '' ? undefined : await this.#ownerOf(value)
    })
  }

  /** The conversation goes on here (once more), unless another one than `seen` has the session by now. */
  async takeOver(sessionId: string, seen: 'here' | Owner | undefined): Promise<'taken' | 'here' | Owner> {
    const outcome = await this.#link.ask(async () => {
      const mine = `${this.instance}|${await this.#nextEpoch()}`
      const key = sessionKey(sessionId)
      const script = seen === 'here' ? 'claim' : 'takeOver'
      // No owner is called nothing: it stands for "nobody".
      const expected = seen === 'here' ? `${this.instance}|` : (seen?.value ?? '')
      const now = String(await this.#link.run(script, key, mine, expected, String(this.#sessionMs)))
      return now === mine ? 'taken' : await this.#ownerOf(now)
    })
    return outcome ?? 'taken'
  }

  /** The others are to send nothing here any more. What is here may end. */
  withdraw(): Promise<void> {
    this.#withdrawal ??= (async () => {
      this.#link.stopBeating()
      await this.#link.ask(() => this.#link.delete(instanceKey(this.instance)))
    })()
    return this.#withdrawal
  }

  async close(): Promise<void> {
    await this.withdraw()
    this.#link.close()
  }

  async #beat(): Promise<void> {
    const record = instanceRecord(this.#options.secret, this.instance, this.#url)
    const had = await this.#link.run('announce', instanceKey(this.instance), record, this.#instanceMs)
    // Whoever looked while the record was missing took this instance for dead.
    const isDoubtful = !this.#link.up || (this.#announced && had !== 1)
    if (isDoubtful) for (const held of this.#held.values()) held.writtenAt = 0
    this.#announced = true
    await this.#writeDue()
  }

  /** What the store does not have, or would forget while the session is still here. */
  async #writeDue(): Promise<void> {
    const before = Date.now() - this.#sessionMs / 2
    const due = [...this.#held].flatMap(([sessionId, { writtenAt }]) =>
      writtenAt < before ? [sessionId] : [],
    )
    for (let at = 0; at < due.length; at += writtenTogether)
      await Promise.all(due.slice(at, at + writtenTogether).map((sessionId) => this.#claimNow(sessionId)))
  }

  #hold(sessionId: string): Held {
    const held = this.#held.get(sessionId) ?? { writtenAt: 0 }
    this.#held.set(sessionId, held)
    return held
  }

  /** True when it is ours; rejects as the store does. */
  async #claimNow(sessionId: string): Promise<boolean> {
    const held = this.#held.get(sessionId)
    if (!held) return true
    if (held.value === undefined) await this.#name(held)
    if (this.#held.get(sessionId) !== held) return true
    const { value = '' } = held
    const key = sessionKey(sessionId)
    const now = await this.#link.run('claim', key, value, `${this.instance}|`, String(this.#sessionMs))
    // Meanwhile it has ended here.
    if (this.#held.get(sessionId) !== held) {
      await this.#link.run('release', key, value)
      return true
    }
    if (now === value) {
      held.writtenAt = Date.now()
      return true
    }
    this.#held.delete(sessionId)
    this.#options.onLost(sessionId)
    return false
  }

  /** Two who claim the same session at once must do so under one name. */
  #name(held: Held): Promise<unknown> {
    held.naming ??= this.#nextEpoch()
      .then((epoch) => {
        held.value = `${this.instance}|${epoch}`
      })
      .finally(() => {
        held.naming = undefined
      })
    return held.naming
  }

  async #nextEpoch(): Promise<number> {
    const epoch = Number(await this.#link.run('nextEpoch', epochKey, String(this.#highestEpoch)))
    this.#highestEpoch = Math.max(this.#highestEpoch, epoch)
    return epoch
  }

  async #ownerOf(value: string): Promise<'here' | Owner> {
    if (this.isOwn(value)) return 'here'
    const [, instance, epoch] = /^([A-Za-z0-9]{16})\|(\d{1,15})$/.exec(value) ?? []
    if (instance === undefined) return { value, url: undefined }
    if (Number(epoch) < highestEpoch) this.#highestEpoch = Math.max(this.#highestEpoch, Number(epoch))
    return { value, url: await this.#urlOf(instance) }
  }

  async #urlOf(instance: string): Promise<string | undefined> {
    const record = await this.#link.read(instanceKey(instance), longestRecord)
    const url = readInstanceRecord(this.#options.secret, instance, record)
    if (record !== '' && url === undefined) this.#warnOfStranger(instance)
    return url
  }

  /** Once: where secrets differ, every request would say so. */
  #warnOfStranger(instance: string): void {
    if (!this.#warned)
      this.#options.log.warn(
        'the record of another instance is not vouched for by this "sessions.peerSecret", and is ignored',
        { instance },
      )
    this.#warned = true
  }
}
