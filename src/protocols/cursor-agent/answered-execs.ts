// How execs were answered, so that a server which asks the same again is told the same. A run may make thousands of calls:
// they are found by number and by the call that they are of, never by looking through all.

import { create, equals } from '@bufbuild/protobuf'
import { type ExecServerMessage, ExecServerMessageSchema } from '../../../proto/gen/agent/v1/exec_pb.ts'
import { Buckets } from '../../base/buckets.ts'
import type { ExecReply } from './native.ts'

interface AnsweredExec {
  callId: string
  /** Of the client's result, or why there is none. */
  digest: string
  request: ExecServerMessage
  replies: readonly ExecReply[]
  bytes: number
  /** On a stream that broke since: this server may not have got it. */
  isOfOldStream: boolean
  /** The number of its last message before the close, on the stream of the moment; undefined where it was not sent there. */
  lastMessage: number | undefined
}

interface Remembered extends AnsweredExec {
  /** A checkpoint came behind it: from there the server does not ask for it again. */
  isCovered: boolean
  /** The server has said that it has it, and no checkpoint has come since. */
  isAcknowledged: boolean
}

/** Of the answers that are remembered, the latest ones first. */
const maxBytes = 1024 * 1024

export class AnsweredExecs {
  readonly #digests = new Map<string, string>()
  /** The oldest first; forgotten when they grow too much. */
  readonly #remembered = new Set<Remembered>()
  readonly #byNumber = new Buckets<number, Remembered>()
  readonly #ofCall = new Buckets<string, Remembered>()
  #bytes = 0
  #hasGap = false

  get bytes(): number {
    return this.#bytes
  }

  /** All that the server could ask for again from its last checkpoint. */
  get remembersEnough(): boolean {
    return !this.#hasGap
  }

  digestOf(callId: string): string | undefined {
    return this.#digests.get(callId)
  }

  add(answered: AnsweredExec): void {
    const remembered = { ...answered, isCovered: false, isAcknowledged: false }
    this.#digests.set(answered.callId, answered.digest)
    this.#remembered.add(remembered)
    this.#index(remembered)
    this.#bytes += answered.bytes
  }

  /** What this was answered with before; from now on under its new number. `sent` messages have gone out before it. */
  recall(exec: ExecServerMessage, sent: number): readonly ExecReply[] | undefined {
    const found = this.#find(exec)
    if (!found) return undefined
    found.isAcknowledged = false
    found.lastMessage = sent + found.replies.length - 1
    // Once for each stream: the same work under the same call may be wanted anew later, as a file is read again.
    found.isOfOldStream = false
    this.#unindex(found)
    found.request = exec
    this.#index(found)
    return found.replies
  }

  /** These stay, however large: no checkpoint may have them yet. */
  forgetOldest(stays: (callId: string) => boolean): void {
    for (const oldest of this.#remembered) {
      if (this.#bytes <= maxBytes) return
      if (stays(oldest.callId)) continue
      if (!oldest.isCovered) this.#hasGap = true
      this.#remembered.delete(oldest)
      this.#unindex(oldest)
      this.#bytes -= oldest.bytes
    }
  }

  /** The server says that it has the result of this call. */
  acknowledge(upstreamId: string): void {
    for (const remembered of this.#ofCall.of(upstreamId)) remembered.isAcknowledged = true
  }

  /**
   * The server has a result that its last checkpoint does not have: from there it would ask for that again. `taken`: so many messages
   * of this stream are known to have reached it.
   */
  hasMoreThanCheckpoint(taken: number): boolean {
    for (const { isAcknowledged, lastMessage = Number.POSITIVE_INFINITY } of this.#remembered)
      if (isAcknowledged || lastMessage < taken) return true
    return false
  }

  onCheckpoint(): void {
    for (const remembered of this.#remembered) {
      remembered.isCovered = true
      remembered.isAcknowledged = false
      remembered.lastMessage = undefined
    }
    this.#hasGap = false
  }

  onStreamLost(): void {
    for (const remembered of this.#remembered) {
      remembered.isOfOldStream = true
      remembered.lastMessage = undefined
    }
  }

  #find(exec: ExecServerMessage): Remembered | undefined {
    for (const remembered of this.#byNumber.of(exec.id))
      if (!remembered.isOfOldStream && isSameRequest(remembered.request, exec)) return remembered
    const upstreamId = upstreamIdOf(exec)
    if (upstreamId === '') return undefined
    for (const remembered of this.#ofCall.of(upstreamId))
      if (remembered.isOfOldStream && isSameWork(remembered.request, exec)) return remembered
    return undefined
  }

  #index(remembered: Remembered): void {
    this.#byNumber.add(remembered.request.id, remembered)
    this.#ofCall.add(upstreamIdOf(remembered.request), remembered)
  }

  #unindex(remembered: Remembered): void {
    this.#byNumber.delete(remembered.request.id, remembered)
    this.#ofCall.delete(upstreamIdOf(remembered.request), remembered)
  }
}

/** The trace is another one each time. */
function isSameRequest(one: ExecServerMessage, other: ExecServerMessage): boolean {
  const plain = ({ execId, message }: ExecServerMessage) =>
    create(ExecServerMessageSchema, { execId, message })
  return equals(ExecServerMessageSchema, plain(one), plain(other))
}

/** The same work of the same call, under whatever number it is asked for. */
export function isSameWork(one: ExecServerMessage, other: ExecServerMessage): boolean {
  const upstreamId = upstreamIdOf(one)
  if (upstreamId === '' || upstreamId !== upstreamIdOf(other)) return false
  const plain = ({ message }: ExecServerMessage) => create(ExecServerMessageSchema, { message })
  return equals(ExecServerMessageSchema, plain(one), plain(other))
}

/** The server's own name of the call; empty for one that it did not name. */
export const upstreamIdOf = ({ message }: ExecServerMessage): string =>
  (message.value !== undefined && 'toolCallId' in message.value && message.value.toolCallId) || ''
