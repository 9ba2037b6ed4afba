// Messages for the client that arrived while the run was parked: held for the next answer.

import type { ExecServerMessage } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { AgentServerMessage } from '../../../proto/gen/agent/v1/run_pb.ts'

/** Above this, the driver stops reading until the next answer begins. */
const maxBytes = 8 * 1024 * 1024

interface HeldMessage {
  message: AgentServerMessage
  /** Size on the wire. */
  bytes: number
}

/** Estimated memory of a message: its texts with two bytes a character, and the objects around them. */
const costOf = (bytes: number) => 2 * bytes + messageCost
const messageCost = 512

export class HeldMessages {
  #messages: HeldMessage[] = []
  /** How many of them the last checkpoint covers. */
  #covered = 0
  /** About how much memory they use. */
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

  /** Takes all messages: those that the last checkpoint covers, and later ones. */
  take(): { covered: HeldMessage[]; later: HeldMessage[] } {
    const covered = this.#messages.slice(0, this.#covered)
    const later = this.#messages.slice(this.#covered)
    this.#keep([])
    return { covered, later }
  }

  /** Removes a request that the client has not seen yet. */
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

  /** From its checkpoint the server repeats all later messages, and asks again for all open execs. */
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
