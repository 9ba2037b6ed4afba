// How execs were answered: a server that asks again gets the same answer. A run may make thousands of calls, so answers are indexed
// by exec number and by call id.

import { create, equals } from '@bufbuild/protobuf'
import { type ExecServerMessage, ExecServerMessageSchema } from '../../../proto/gen/agent/v1/exec_pb.ts'
import { Buckets } from '../../base/buckets.ts'
import type { ExecReply } from './native.ts'

interface AnsweredExec {
  callId: string
  /** Digest of the client's result, or why there is none. */
  digest: string
  request: ExecServerMessage
  replies: readonly ExecReply[]
  bytes: number
  /** Answered on a stream that broke since: the server may not have the answer. */
  isOfOldStream: boolean
  /** The number of its last message before the close on the current stream; undefined if it was not sent there. */
  lastMessage: number | undefined
}

interface Remembered extends AnsweredExec {
  /** A checkpoint followed: from there the server does not ask for it again. */
  isCovered: boolean
  /** The server has confirmed it, and no checkpoint has followed. */
  isAcknowledged: boolean
}

/** Limit of the remembered answers; the oldest go first. */
const maxBytes = 1024 * 1024

export class AnsweredExecs {
  readonly #digests = new Map<string, string>()
  /** Oldest first. */
  readonly #remembered = new Set<Remembered>()
  readonly #byNumber = new Buckets<number, Remembered>()
  readonly #ofCall = new Buckets<string, Remembered>()
  #bytes = 0
  #hasGap = false

  get bytes(): number {
    return this.#bytes
  }

  /** True if every answer is remembered that the server could ask for again from its last checkpoint. */
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

  /** The earlier answer to this exec, which moves to the new exec number. `sent`: how many messages precede the replies. */
  recall(exec: ExecServerMessage, sent: number): readonly ExecReply[] | undefined {
    const found = this.#find(exec)
    if (!found) return undefined
    found.isAcknowledged = false
    found.lastMessage = sent + found.replies.length - 1
    // Once for each stream: the same call may do the same work again later, e.g. read a file again.
    found.isOfOldStream = false
    this.#unindex(found)
    found.request = exec
    this.#index(found)
    return found.replies
  }

  /** `stays`: answers that are kept, however large, because no checkpoint may have them yet. */
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

  /** The server confirms the result of this call. */
  acknowledge(upstreamId: string): void {
    for (const remembered of this.#ofCall.of(upstreamId)) remembered.isAcknowledged = true
  }

  /**
   * The server has a result that its last checkpoint lacks: from there it would ask for the result again. `taken`: how many messages
   * of this stream are known to have reached the server.
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

/** Without the trace, which differs each time. */
function isSameRequest(one: ExecServerMessage, other: ExecServerMessage): boolean {
  const plain = ({ execId, message }: ExecServerMessage) =>
    create(ExecServerMessageSchema, { execId, message })
  return equals(ExecServerMessageSchema, plain(one), plain(other))
}

/** The same work of the same call, under any exec number. */
export function isSameWork(one: ExecServerMessage, other: ExecServerMessage): boolean {
  const upstreamId = upstreamIdOf(one)
  if (upstreamId === '' || upstreamId !== upstreamIdOf(other)) return false
  const plain = ({ message }: ExecServerMessage) => create(ExecServerMessageSchema, { message })
  return equals(ExecServerMessageSchema, plain(one), plain(other))
}

/** The server's own id of the call; empty if it has none. */
export const upstreamIdOf = ({ message }: ExecServerMessage): string =>
  (message.value !== undefined && 'toolCallId' in message.value && message.value.toolCallId) || ''
