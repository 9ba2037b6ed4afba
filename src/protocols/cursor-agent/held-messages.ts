// What the client is to see, but came while nobody was there to see it: kept for the next answer.

import type { ExecServerMessage } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { AgentServerMessage } from '../../../proto/gen/agent/v1/run_pb.ts'

/** With this much the reading stops until somebody comes for it. */
const maxBytes = 8 * 1024 * 1024

interface HeldMessage {
  message: AgentServerMessage
  /** As it came. */
  bytes: number
}

/** What a message takes in memory: its texts, two bytes a character, and the objects around them. */
const costOf = (bytes: number) => 2 * bytes + messageCost
const messageCost = 512

export class HeldMessages {
  #messages: HeldMessage[] = []
  /** How many of them the last checkpoint covers. */
  #covered = 0
  /** About what they take in memory. */
  bytes = 0

  get isFull(): boolean {
    return this.bytes > maxBytes
  }

  get execIds(): number[] {
    return this.#messages.flatMap(({ message }) => execOf(message)?.id ?? [])
  }

  add(message: AgentServerMessage, bytes: number): void {
    this.bytes += costOf(bytes)
    this.#messages.push({ message, bytes })
  }

  /** All of them: those that the last checkpoint covers, and those behind it. */
  take(): { covered: HeldMessage[]; later: HeldMessage[] } {
    const covered = this.#messages.slice(0, this.#covered)
    const later = this.#messages.slice(this.#covered)
    this.#keep([])
    return { covered, later }
  }

  /** Takes a request out that the client has not heard of yet. */
  takeExec(execId: number): ExecServerMessage | undefined {
    const at = this.#messages.findIndex(({ message }) => execOf(message)?.id === execId)
    const [held] = at < 0 ? [] : this.#messages.splice(at, 1)
    if (held && at < this.#covered) this.#covered--
    if (held) this.bytes -= costOf(held.bytes)
    return held && execOf(held.message)
  }

  onCheckpoint(): void {
    this.#covered = this.#messages.length
  }

  /** From its checkpoint the server says again what came behind it, and asks again for all that is open. */
  onStreamLost(): void {
    this.#keep(this.#messages.slice(0, this.#covered).filter(({ message }) => !execOf(message)))
  }

  #keep(messages: HeldMessage[]): void {
    this.#messages = messages
    this.#covered = messages.length
    this.bytes = messages.reduce((sum, { bytes }) => sum + costOf(bytes), 0)
  }
}

function execOf({ message }: AgentServerMessage): ExecServerMessage | undefined {
  return message.case === 'execServerMessage' ? message.value : undefined
}
