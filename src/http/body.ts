// Reads a request body in pieces, from a socket or a web `Request`; its size is checked while it arrives.

import type { IncomingMessage } from 'node:http'
import { countDroppedBytes, countReadBytes } from '../base/collect-buffers.ts'
import { resumeInTurn } from '../base/take-turns.ts'
import { GatewayError } from '../core/errors.ts'
import type { BodyBudget } from './body-budget.ts'

export interface BodyRules {
  maxBytes: number
  /** Shared with all other bodies that are being read. */
  budget?: BodyBudget | undefined
  /** Gets each piece; if it throws, the body is refused. */
  take(piece: Uint8Array): void
}

/** Resolves with the size of the body. */
export type ReadBody = (rules: BodyRules) => Promise<number>

/** A larger body takes turns with others after each piece. */
const largeBytes = 64 * 1024

const tooLarge = (maxBytes: number) =>
  new GatewayError(
    'payload-too-large',
    `The request body is larger than ${maxBytes} bytes; raise "limits.bodyBytes" or send less.`,
  )

const canceled = () => new GatewayError('canceled', 'The client went away while it sent its request.')

export function readNodeBody(
  request: IncomingMessage,
  { maxBytes, budget, take }: BodyRules,
): Promise<number> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes))
  return new Promise((resolve, reject) => {
    let size = 0
    let isOver = false
    const refuse = (error: unknown) => {
      isOver = true
      request.off('data', onPiece)
      request.pause()
      share?.release()
      countDroppedBytes(size)
      reject(error)
    }
    const share = budget?.open(refuse)
    const onPiece = (piece: Buffer) => {
      size += piece.length
      if (size > maxBytes) return refuse(tooLarge(maxBytes))
      try {
        share?.take(piece.length)
        take(piece)
      } catch (error) {
        return refuse(error)
      }
      if (size < largeBytes) return
      request.pause()
      countReadBytes(piece.length)
      resumeInTurn(goOn)
    }
    const goOn = () => {
      if (!isOver) request.resume()
    }
    request.on('data', onPiece)
    request.on('end', () => {
      share?.release()
      resolve(size)
    })
    request.on('error', () => refuse(canceled()))
    request.on('aborted', () => refuse(canceled()))
  })
}

export async function readWebBody(request: Request, { maxBytes, budget, take }: BodyRules): Promise<number> {
  if (!request.body) return 0
  const reader = request.body.getReader()
  let givenUp: GatewayError | undefined
  const stop = (error: unknown) => void reader.cancel(error).catch(() => undefined)
  const share = budget?.open((error) => {
    givenUp = error
    stop(error)
  })
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (givenUp) throw givenUp
      if (done) return size
      size += value.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      share?.take(value.length)
      take(value)
    }
  } catch (error) {
    stop(error)
    throw request.signal.aborted ? new GatewayError('canceled', 'The client went away.') : error
  } finally {
    share?.release()
  }
}
