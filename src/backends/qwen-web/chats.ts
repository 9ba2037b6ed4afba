// The chats at the service, and the position of each conversation in them: its next message can be sent there without the
// history.

import { BoundedMap, entryBytes } from '../../base/bounded-map.ts'

export interface Chat {
  readonly id: string
  /** A request is under way: the service accepts one at a time. */
  busy: boolean
  /** A conversation can be continued in it. */
  kept: boolean
  gone: boolean
  /** Reminders that it has received: see `remindersIn`. */
  readonly reminders: Set<string>
  usedAt: number
}

/** An answer that the next message can follow. */
export interface Tip {
  chat: Chat
  responseId: string
}

interface ChatsOptions {
  /** Called for each chat that will not be continued. */
  onGone(chat: Chat): void
  max?: number
  ttlMs?: number
  now?: () => number
}

const maxTipBytes = 16 * 1024 * 1024
const defaultMax = 1_000
const defaultTtlMs = 12 * 60 * 60 * 1000

export class Chats {
  readonly #tips: BoundedMap<string, Tip>
  /** Least recently used first. */
  readonly #chats = new Set<Chat>()
  readonly #options: Required<ChatsOptions>

  constructor(options: ChatsOptions) {
    this.#options = { max: defaultMax, ttlMs: defaultTtlMs, now: Date.now, ...options }
    this.#tips = new BoundedMap({ maxBytes: maxTipBytes, ...this.#options })
  }

  get size(): number {
    return this.#chats.size
  }

  /**
   * Claims the chat of this conversation for one request; concurrent requests get none. A chat that has not received these
   * reminders belongs to another conversation with the same words.
   */
  claim(key: string | undefined, reminders: Iterable<string> = []): Tip | undefined {
    this.#sweep()
    const tip = key === undefined ? undefined : this.#tips.get(key)
    if (tip === undefined || tip.chat.gone || tip.chat.busy) return undefined
    for (const reminder of reminders) if (!tip.chat.reminders.has(reminder)) return undefined
    tip.chat.busy = true
    this.#touch(tip.chat)
    return tip
  }

  /** A new chat, claimed. */
  begin(id: string): Chat {
    const chat: Chat = { id, busy: true, kept: false, gone: false, reminders: new Set(), usedAt: 0 }
    this.#touch(chat)
    this.#sweep()
    return chat
  }

  /** Earlier answers stay known: a conversation may continue from one of them, on another branch. */
  keep(key: string, tip: Tip, reminders: Iterable<string> = []): void {
    if (tip.chat.gone) return
    tip.chat.kept = true
    for (const reminder of reminders) tip.chat.reminders.add(reminder)
    this.#tips.set(key, tip, entryBytes + 2 * (key.length + tip.responseId.length + tip.chat.id.length))
  }

  forget(key: string | undefined): void {
    if (key !== undefined) this.#tips.delete(key)
  }

  release(chat: Chat): void {
    chat.busy = false
    if (!chat.kept) this.drop(chat)
  }

  /** Useless, but the service must not be asked to delete it now: it goes when it expires. */
  putOff(chat: Chat): void {
    chat.kept = true
  }

  drop(chat: Chat): void {
    if (chat.gone) return
    chat.gone = true
    this.#chats.delete(chat)
    this.#options.onGone(chat)
  }

  dropAll(): void {
    for (const chat of [...this.#chats]) this.drop(chat)
  }

  #touch(chat: Chat): void {
    chat.usedAt = this.#options.now()
    this.#chats.delete(chat)
    this.#chats.add(chat)
  }

  #sweep(): void {
    const { max, ttlMs, now } = this.#options
    for (const chat of this.#chats) {
      if (this.#chats.size <= max && chat.usedAt + ttlMs > now()) return
      if (!chat.busy) this.drop(chat)
    }
  }
}
