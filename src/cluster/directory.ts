// The session directory: which instance holds which session. Stored in Redis for the instances behind a load balancer, or in the
// parent process for its workers (directory-store.ts):
//
//     dragoman:i:INSTANCE   the URL of the instance; expires unless it is renewed
//     dragoman:s:{SESSION}  INSTANCE|EPOCH, the owner
//     dragoman:epoch        a counter; never expires, because it must not restart
//
// The owner of a session is alive while its instance record exists. The store may disappear at any time: then no session is found,
// local sessions continue, and all of them are written again when the store is back.

import { randomId } from '../base/ids.ts'
import type { Log } from '../observe/log.ts'
import { type DirectoryLink, highestEpoch, type OpenLink } from './directory-store.ts'
import { instanceRecord, readInstanceRecord } from './instance-record.ts'

export interface Owner {
  /** `INSTANCE|EPOCH`, as stored. */
  value: string
  /** The URL of the instance; undefined if it is gone. */
  url: string | undefined
}

export interface DirectoryOptions {
  openLink: OpenLink
  secret: string
  /** How long a session may wait for its next request. */
  idleMs: number
  log: Log
  /** Another instance took over a session that is still here. */
  onLost(sessionId: string): void
  /** The lifetime of an instance record. */
  instanceMs?: number
}

interface Held {
  /** Known once the store has issued an epoch. */
  value?: string
  naming?: Promise<unknown> | undefined
  /** The last confirmed write; 0 if the store may not have it. */
  writtenAt: number
}

const startPatienceMs = 1_000
const sessionGraceMs = 60_000
/** Sessions written in parallel. */
const writtenTogether = 50

/** A URL and its signature. */
const longestRecord = 4_096

const epochKey = 'dragoman:epoch'
/** The names of all instances. */
const listKey = 'dragoman:instances'
const instanceName = /^[A-Za-z0-9]{16}$/
const instanceKey = (instance: string) => `dragoman:i:${instance}`
/** A pattern that matches all of them. */
export const instanceKeys = instanceKey('*')
export const isInstanceKey = (key: string) => key.startsWith(instanceKey(''))
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
  #enlisted: readonly string[] = []
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

  /** The link to the store. */
  get link(): DirectoryLink {
    return this.#link
  }

  /** The number of sessions of this instance that other instances should find. */
  get size(): number {
    return this.#held.size
  }

  load(): Promise<void> {
    return this.#link.load()
  }

  /** Announces this instance's URL; continues in the background if the store is down. */
  start(url: string): Promise<void> {
    this.#url = url
    return this.#link.start(startPatienceMs)
  }

  /** Registers a session of this instance. Resolves when other instances can find the session, or if the store is down. */
  async claim(sessionId: string): Promise<void> {
    if (this.#withdrawal) return
    this.#hold(sessionId).writtenAt = 0
    await this.#link.ask(() => this.#claimNow(sessionId))
  }

  /** The session has ended here. */
  release(sessionId: string): void {
    const value = this.#held.get(sessionId)?.value
    this.#held.delete(sessionId)
    if (value !== undefined)
      void this.#link.ask(() => this.#link.run('release', sessionKey(sessionId), value))
  }

  /** Whether this instance still owns the session, as far as the store can be asked. */
  async holds(sessionId: string): Promise<boolean> {
    this.#hold(sessionId)
    return (await this.#link.ask(() => this.#claimNow(sessionId))) ?? true
  }

  /** The value under which other instances know the session. */
  valueOf(sessionId: string): string | undefined {
    return this.#held.get(sessionId)?.value
  }

  isOwn(value: string): boolean {
    return value.startsWith(`${this.instance}|`)
  }

  /** The URL of another instance; undefined if it is gone or the store is down. */
  locate(instance: string): Promise<string | undefined> {
    return this.#link.ask(() => this.#urlOf(instance))
  }

  /** The other instances, and their URLs. */
  async others(): Promise<{ instance: string; url: string }[]> {
    if (!this.#withdrawal) await this.#link.ask(() => this.#enlist(this.#instanceMs))
    const found = await Promise.all(
      this.#enlisted.map(async (instance) => ({ instance, url: await this.locate(instance) })),
    )
    return found.flatMap(({ instance, url }) => (url === undefined ? [] : [{ instance, url }]))
  }

  async find(sessionId: string): Promise<'here' | Owner | undefined> {
    return this.#link.ask(async () => {
      const value = String(await this.#link.run('owner', sessionKey(sessionId)))
      return value === '' ? undefined : await this.#ownerOf(value)
    })
  }

  /** Makes this instance the owner, unless the owner is no longer `seen`. */
  async takeOver(sessionId: string, seen: 'here' | Owner | undefined): Promise<'taken' | 'here' | Owner> {
    const outcome = await this.#link.ask(async () => {
      const mine = `${this.instance}|${await this.#nextEpoch()}`
      const key = sessionKey(sessionId)
      const script = seen === 'here' ? 'claim' : 'takeOver'
      // The empty string stands for "no owner".
      const expected = seen === 'here' ? `${this.instance}|` : (seen?.value ?? '')
      const now = String(await this.#link.run(script, key, mine, expected, String(this.#sessionMs)))
      return now === mine ? 'taken' : await this.#ownerOf(now)
    })
    return outcome ?? 'taken'
  }

  /** Stops relays to this instance. Running turns may finish. */
  withdraw(): Promise<void> {
    this.#withdrawal ??= (async () => {
      this.#link.stopBeating()
      await this.#link.ask(async () => {
        await this.#link.delete(instanceKey(this.instance))
        await this.#enlist('0')
      })
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
    // While the record was missing, another instance may have taken this one for dead: all sessions are written again.
    const isDoubtful = !this.#link.up || (this.#announced && had !== 1)
    if (isDoubtful) for (const held of this.#held.values()) held.writtenAt = 0
    this.#announced = true
    await this.#writeDue()
    await this.#enlist(this.#instanceMs)
  }

  /** Only the inspector needs the list: sessions are found without it. */
  async #enlist(ms: string): Promise<void> {
    try {
      const names = String(await this.#link.run('enlist', listKey, this.instance, ms)).split(',')
      this.#enlisted = names.filter((name) => name !== this.instance && instanceName.test(name))
    } catch {
      this.#enlisted = []
    }
  }

  /** Writes the sessions that the store lacks, or that would expire there although they still run here. */
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

  /** True if this instance owns the session; rejects if the store fails. */
  async #claimNow(sessionId: string): Promise<boolean> {
    const held = this.#held.get(sessionId)
    if (!held) return true
    if (held.value === undefined) await this.#name(held)
    if (this.#held.get(sessionId) !== held) return true
    const { value = '' } = held
    const key = sessionKey(sessionId)
    const now = await this.#link.run('claim', key, value, `${this.instance}|`, String(this.#sessionMs))
    // The session ended here in the meantime.
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

  /** Two concurrent claims of a session must use the same value. */
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

  /** Warns only once in this process: with different secrets, every request would warn. */
  #warnOfStranger(instance: string): void {
    if (!this.#warned)
      this.#options.log.warn(
        'the record of another instance was ignored: it is not signed with this "sessions.peerSecret"',
        { instance },
      )
    this.#warned = true
  }
}
