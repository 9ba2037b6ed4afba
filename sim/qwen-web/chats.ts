// The stored chats, each with its tree of messages.

import { randomUUID } from 'node:crypto'
import { Refusal } from './refusal.ts'

export interface ChatMessage {
  readonly id: string
  readonly parentId: string | null
  readonly role: 'user' | 'assistant'
  readonly text: string
}

export interface QwenChat {
  readonly id: string
  readonly title: string
  readonly messages: ReadonlyMap<string, ChatMessage>
  /** An answer is under way. */
  readonly isBusy: boolean
}

/** A bound for simulators that run for days. */
const MOST_CHATS = 5000

export class Chat implements QwenChat {
  readonly id = randomUUID()
  readonly title: string
  readonly messages = new Map<string, ChatMessage>()
  #answering: string | undefined

  constructor(title: string) {
    this.title = title
  }

  get isBusy(): boolean {
    return this.#answering !== undefined
  }

  begin(responseId: string): void {
    this.#answering = responseId
  }

  /** May be called late, when the next answer is already under way. */
  finish(responseId: string): void {
    if (this.#answering === responseId) this.#answering = undefined
  }

  keep(...messages: ChatMessage[]): void {
    for (const message of messages) this.messages.set(message.id, message)
  }

  find(id: string): ChatMessage {
    const message = this.messages.get(id)
    if (message === undefined) {
      throw new Refusal('Not_Found', `the parent message ${id} is not exist`, { isViolation: false })
    }
    return message
  }

  /** From the root to this message. */
  pathTo(id: string | null): ChatMessage[] {
    const path: ChatMessage[] = []
    for (let next = id; next !== null; ) {
      const message = this.find(next)
      path.unshift(message)
      next = message.parentId
    }
    return path
  }

  toJson() {
    const messages = [...this.messages.values()].map(({ id, parentId, role, text }) => [
      id,
      { id, parentId, role, content: text, childrenIds: this.#childrenOf(id) },
    ])
    const currentId = [...this.messages.keys()].at(-1) ?? null
    const history = { messages: Object.fromEntries(messages), currentId }
    return { id: this.id, title: this.title, chat: { history }, currentId }
  }

  #childrenOf(id: string): string[] {
    return [...this.messages.values()].filter(({ parentId }) => parentId === id).map((child) => child.id)
  }
}

export class Chats {
  readonly byId = new Map<string, Chat>()

  create(title: string): Chat {
    const chat = new Chat(title)
    this.byId.set(chat.id, chat)
    const [oldest] = this.byId.keys()
    if (this.byId.size > MOST_CHATS && oldest !== undefined) this.byId.delete(oldest)
    return chat
  }

  find(id: string): Chat {
    const chat = this.byId.get(id)
    if (chat === undefined)
      throw new Refusal('Not_Found', `the chat ${id} is not exist`, { isViolation: false })
    return chat
  }
}
