// What the client is to see, but came while nobody was there to see it: kept for the next answer.

import type { ExecServerMessage } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { AgentServerMessage } from '../../../proto/gen/agent/v1/run_pb.ts'

/** A server that says more than this does not wait for the results of its calls. */
const maxBytes = 8 * 1024 * 1024

interface HeldMessage {
  message: AgentServerMessage
  bytes: number
}

export class HeldMessages {
  #messages: HeldMessage[] = []
  #bytes = 0

  /** False when it is too much: then nothing is kept. */
  add(message: AgentServerMessage, bytes: number): boolean {
    this.#bytes += bytes
    if (this.#bytes > maxBytes) this.#messages = []
    else this.#messages.push({ message, bytes })
    return this.#bytes <= maxBytes
  }

  take(): HeldMessage[] {
    const messages = this.#messages
    this.#messages = []
    this.#bytes = 0
    return messages
  }

  get execIds(): number[] {
    return this.#messages.flatMap(({ message }) => execOf(message)?.id ?? [])
  }

  /** Takes a request out that the client has not heard of yet. */
  takeExec(execId: number): ExecServerMessage | undefined {
    const at = this.#messages.findIndex(({ message }) => execOf(message)?.id === execId)
    const [held] = at < 0 ? [] : this.#messages.splice(at, 1)
    return held && execOf(held.message)
  }
}

function execOf({ message }: AgentServerMessage): ExecServerMessage | undefined {
  return message.case === 'execServerMessage' ? message.value : undefined
}
