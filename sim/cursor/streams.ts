// The two transports of a run: one HTTP/2 stream in both directions, or a response stream with appended messages.

import { fromBinary } from '@bufbuild/protobuf'
import { BidiRequestIdSchema } from '../../proto/gen/aiserver/v1/service_pb.ts'
import type { AgentRun } from './agent-run.ts'
import type { Appends } from './appends.ts'
import type { FairClock } from './clock.ts'
import { FrameReader } from './frames.ts'
import type { AnyRequest } from './listener.ts'
import { Refusal } from './refusal.ts'

const STREAM_TYPE = 'application/connect+proto'
const HALF_CLOSE_MS = 200

/** What is wrong with the headers of a stream; undefined if nothing. */
export function findHeadFault({ headers }: AnyRequest): Refusal | undefined {
  if (headers['connect-protocol-version'] !== '1') {
    return new Refusal('invalid_argument', 'connect-protocol-version: 1 is missing')
  }
  return undefined
}

export function isStreamType({ headers }: AnyRequest): boolean {
  return headers['content-type'] === STREAM_TYPE
}

/** Compression is negotiated once and used frame by frame, as in Connect's servers. */
export function streamHeaders({ headers }: AnyRequest): Record<string, string> {
  const accepted = String(headers['connect-accept-encoding'] ?? '')
    .split(',')
    .map((name) => name.trim())
  return {
    'content-type': STREAM_TYPE,
    'connect-accept-encoding': 'gzip',
    ...(accepted.includes('gzip') && { 'connect-content-encoding': 'gzip' }),
  }
}

/** HTTP/2: the request's own body brings the messages, until the run is over. */
export function readBidi(request: AnyRequest, run: AgentRun): void {
  const frames = new FrameReader(encodingOf(request))
  request.on('data', (chunk: Uint8Array) => {
    if (run.isOver) return
    run.guard(() => {
      for (const message of frames.push(chunk)) run.receive(message)
    })
  })
  request.on('end', () => {
    if (frames.isInsideFrame && !run.isOver) {
      run.violate(new Refusal('invalid_argument', 'the request ended inside a frame'))
    }
    // A canceling client may end its side first: a reset right after it makes this no half-close.
    setTimeout(() => run.halfClose(), HALF_CLOSE_MS)
  })
  // The stream writer detects broken connections.
  request.on('error', () => undefined)
}

interface SseParts {
  readonly run: AgentRun
  readonly appends: Appends
  readonly clock: FairClock
  readonly gapPatienceMs: number
}

/** The body has the request id of the appends. */
export function readSse(request: AnyRequest, body: Uint8Array, parts: SseParts): void {
  const { run, appends, clock, gapPatienceMs } = parts
  run.guard(() => {
    const [message, ...more] = new FrameReader(encodingOf(request)).push(body)
    if (message === undefined || more.length > 0) {
      throw new Refusal('invalid_argument', 'the body of RunSSE is not one enveloped message')
    }
    const { requestId } = decodeRequestId(message)
    const header = request.headers['x-request-id']
    if (header === undefined) throw new Refusal('invalid_argument', 'RunSSE without x-request-id')
    if (requestId !== header) {
      throw new Refusal('invalid_argument', `RunSSE for "${requestId}" with x-request-id "${header}"`)
    }
    appends.attach(requestId, run)
    const unwatch = clock.watch(() => run.guard(() => appends.checkPatience(requestId, gapPatienceMs)))
    void run.record.waitForClose().then(unwatch)
  })
}

function decodeRequestId(message: Uint8Array) {
  try {
    return fromBinary(BidiRequestIdSchema, message)
  } catch (cause) {
    throw new Refusal('invalid_argument', `the body of RunSSE is no BidiRequestId: ${cause}`)
  }
}

function encodingOf({ headers }: AnyRequest): string | undefined {
  const encoding = headers['connect-content-encoding']
  return typeof encoding === 'string' ? encoding : undefined
}
