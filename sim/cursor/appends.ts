// Client messages that arrive as separate requests, in any order: sorted into the client's order. Their run may open before or after
// the first message.

import { fromBinary } from '@bufbuild/protobuf'
import { BidiAppendRequestSchema } from '../../proto/gen/aiserver/v1/service_pb.ts'
import type { AgentRun } from './agent-run.ts'
import { MAX_MESSAGE_BYTES } from './frames.ts'
import { Refusal } from './refusal.ts'
import type { Toolset } from './toolset.ts'

const MAX_WAITING_LINES = 1000

interface Line {
  next: number
  readonly held: Map<number, Uint8Array>
  readonly inOrder: Uint8Array[]
  /** Since when the oldest missing message is missing. */
  gapSince: number | undefined
  run: AgentRun | undefined
  /** Of the first request. */
  toolset: Toolset | undefined
  fault: Refusal | undefined
}

export class Appends {
  readonly #lines = new Map<string, Line>()
  readonly #now: () => number
  readonly #inOrderOnly: boolean

  constructor(now: () => number, inOrderOnly: boolean) {
    this.#now = now
    this.#inOrderOnly = inOrderOnly
  }

  /** Throws for an invalid append; an append out of place also ends the run. */
  add(body: Uint8Array, toolset: Toolset): void {
    const { requestId, seqno, bytes } = readAppend(body)
    const line = this.#lineOf(requestId)
    if (line.run?.isOver) return
    try {
      checkToolset(line, toolset)
      this.#place(line, seqno, bytes)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      line.fault ??= error
      line.run?.violate(error)
      throw error
    }
    this.#deliver(line)
  }

  attach(requestId: string, run: AgentRun): void {
    const line = this.#lineOf(requestId)
    if (line.run !== undefined) {
      run.violate(new Refusal('already_exists', `a second RunSSE with the request id ${requestId}`))
      return
    }
    line.run = run
    run.guard(() => checkToolset(line, run.record.toolset))
    if (line.fault) run.violate(line.fault)
    this.#deliver(line)
  }

  checkPatience(requestId: string, patienceMs: number): void {
    const line = this.#lines.get(requestId)
    if (line?.gapSince === undefined || this.#now() - line.gapSince < patienceMs) return
    throw new Refusal('invalid_argument', `append_seqno ${line.next} did not come for ${patienceMs} ms`)
  }

  #place(line: Line, seqno: number, bytes: Uint8Array): void {
    if (seqno < line.next || line.held.has(seqno)) {
      throw new Refusal('invalid_argument', `append_seqno ${seqno} came twice`)
    }
    if (this.#inOrderOnly && seqno !== line.next) {
      throw new Refusal('invalid_argument', `append_seqno ${seqno} came before ${line.next}`)
    }
    line.held.set(seqno, bytes)
    for (let ready = line.held.get(line.next); ready !== undefined; ready = line.held.get(line.next)) {
      line.held.delete(line.next++)
      line.inOrder.push(ready)
      line.gapSince = undefined
    }
    if (line.held.size > 0) line.gapSince ??= this.#now()
  }

  #deliver(line: Line): void {
    if (line.run === undefined) return
    for (const bytes of line.inOrder.splice(0)) line.run.receive(bytes)
  }

  #lineOf(requestId: string): Line {
    const known = this.#lines.get(requestId)
    if (known !== undefined) return known
    const line: Line = {
      ...{ next: 0, held: new Map(), inOrder: [], gapSince: undefined },
      ...{ run: undefined, toolset: undefined, fault: undefined },
    }
    this.#lines.set(requestId, line)
    for (const [id, { run }] of this.#lines) {
      if (this.#lines.size <= MAX_WAITING_LINES) break
      // Not the newest: all others may belong to open runs.
      if (id !== requestId && (run === undefined || run.isOver)) this.#lines.delete(id)
    }
    return line
  }
}

/** The headers of RunSSE and of every append are those of one session. */
function checkToolset(line: Line, toolset: Toolset): void {
  line.toolset ??= toolset
  if (line.toolset.isSame(toolset)) return
  throw new Refusal('invalid_argument', 'RunSSE and BidiAppend name different sets of tools')
}

function readAppend(body: Uint8Array): { requestId: string; seqno: number; bytes: Uint8Array } {
  let append: ReturnType<typeof decode>
  try {
    append = decode(body)
  } catch (cause) {
    throw new Refusal('invalid_argument', `a BidiAppendRequest that cannot be decoded: ${cause}`)
  }
  const requestId = append.requestId?.requestId ?? ''
  if (requestId === '') throw new Refusal('invalid_argument', 'an append without request_id')
  const hasHex = append.data !== ''
  // A pattern with a repeated group needs stack for each repetition, and a message has megabytes.
  if (hasHex && (append.data.length % 2 === 1 || /[^0-9a-f]/.test(append.data))) {
    throw new Refusal('invalid_argument', 'the data of an append is not lower-case hex')
  }
  const bytes = hasHex ? Buffer.from(append.data, 'hex') : append.dataBinary
  if (bytes.length > MAX_MESSAGE_BYTES) {
    throw new Refusal('resource_exhausted', `a message of ${bytes.length} bytes; at most 16 MiB are taken`)
  }
  return { requestId, seqno: Number(append.appendSeqno), bytes }
}

function decode(body: Uint8Array) {
  return fromBinary(BidiAppendRequestSchema, body)
}
