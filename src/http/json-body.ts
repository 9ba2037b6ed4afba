// Reads a request body as JSON: media type, no content encoding, valid UTF-8, limits of size, values and depth. All of this is
// checked piece by piece while the body arrives; only parsing is left for the end.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { countDroppedBytes } from '../base/collect-buffers.ts'
import { keepSpelling } from '../base/exact-json.ts'
import { type JsonBounds, type JsonExcess, JsonScan } from '../base/json-scan.ts'
import { GatewayError } from '../core/errors.ts'
import type { BodyBudget } from './body-budget.ts'
import type { Exchange } from './exchange.ts'
import { NotUtf8, StrictUtf8 } from './strict-utf8.ts'

export interface BodyLimits {
  bytes: number
  /** Values and member names. */
  values: number
  budget?: BodyBudget | undefined
}

export interface JsonBody {
  json: unknown
  text: string
  bytes: number
}

const maxDepth = 64
/** Above this size each step of a request takes long: others are served in between. */
const largeBytes = 256 * 1024

/** A page of another site needs a CORS preflight for exactly this type; for look-alikes it does not. */
const jsonType = /^application\/json[\t ]*(?:;|$)/i

export async function readJsonBody(exchange: Exchange, limits: BodyLimits): Promise<JsonBody> {
  checkHeaders(exchange)
  const { text, bytes } = await readJsonText(exchange, limits)
  const json = parse(text)
  // The pieces of the body, and of the text before the parser joined them, are garbage now.
  countDroppedBytes(bytes)
  await pauseAfter(bytes)
  // Top-level numbers are settings. Spellings such as Python's `temperature: 1.0` do not justify a pass over the whole body.
  keepSpelling(text, json, 1)
  await pauseAfter(bytes)
  return { json, text, bytes }
}

/** Resolves with a text within the limits, not yet parsed. `see` gets each piece too. */
export async function readJsonText(
  exchange: Exchange,
  limits: BodyLimits & { depth?: number },
  see?: (piece: Uint8Array) => void,
): Promise<Omit<JsonBody, 'json'>> {
  const { values, depth = maxDepth } = limits
  const scan = new JsonScan({ values, depth })
  const decoder = new StrictUtf8()
  const take = (piece: Uint8Array) => {
    const excess = scan.push(piece)
    if (excess) throw tooMuch(excess, { values, depth })
    decoder.push(piece)
    see?.(piece)
  }
  try {
    const bytes = await exchange.readBody({ maxBytes: limits.bytes, budget: limits.budget, take })
    return { text: decoder.end(), bytes }
  } catch (error) {
    // The request object lives on while the rest of the body is discarded: free the decoded text now.
    decoder.drop()
    if (!(error instanceof NotUtf8)) throw error
    throw new GatewayError('invalid-request', 'The body is not valid UTF-8.', { cause: error })
  }
}

/** A pause between two steps, if each takes long for a body of this size. */
export function pauseAfter(bytes: number): Promise<void> | undefined {
  return bytes < largeBytes ? undefined : nextTurn()
}

function checkHeaders(exchange: Exchange): void {
  if (!jsonType.test(exchange.header('content-type') ?? '')) {
    throw new GatewayError(
      'unsupported-media',
      'Send the body as JSON with "content-type: application/json".',
    )
  }
  const encoding = exchange.header('content-encoding')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new GatewayError(
      'unsupported-media',
      'Compressed request bodies are not accepted; send the JSON as it is.',
    )
  }
}

const tooMuch = (excess: JsonExcess, { values, depth }: JsonBounds) =>
  excess === 'depth'
    ? new GatewayError('invalid-request', `The body is nested more than ${depth} levels deep.`)
    : new GatewayError(
        'payload-too-large',
        `The request body holds more than ${values} values; raise "limits.bodyValues" or send less.`,
      )

function parse(text: string): unknown {
  if (text.trim() === '') throw new GatewayError('invalid-request', 'The body is empty; send a JSON object.')
  try {
    return JSON.parse(text)
  } catch (error) {
    // Only the position: the parser's own message quotes the body.
    const at = /position (\d+)/.exec(String(error))?.[1]
    throw new GatewayError(
      'invalid-request',
      `The body is not valid JSON${at ? ` (at character ${at})` : ''}.`,
    )
  }
}
