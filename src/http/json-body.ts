// Reads a request body as JSON: media type, no content encoding, valid UTF-8, limits of size, values and depth. All of this is
// checked piece by piece while the body arrives; only parsing is left for the end, and for bodies of usual size the depth.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { countDroppedBytes } from '../base/collect-buffers.ts'
import { readSpelling } from '../base/exact-json.ts'
import { outlineOf } from '../base/json-outline.ts'
import { type JsonBounds, type JsonExcess, JsonScan, jsonExcess } from '../base/json-scan.ts'
import type { Member } from '../base/json-text.ts'
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
  /** Of the outermost object. */
  members?: readonly Member[]
}

/** What is known of a body so far, for one that is refused. */
export interface BodySoFar {
  json?: unknown
  text: string
  /** The text is all of the body. */
  isWhole: boolean
}

/** Characters that are kept of a body that is not read to its end. */
export const mostOfUnread = 64 * 1024

const maxDepth = 64
/** Above this size each step of a request takes long: others are served in between. */
const largeBytes = 256 * 1024

/** A page of another site needs a CORS preflight for exactly this type; for look-alikes it does not. */
const jsonType = /^application\/json[\t ]*(?:;|$)/i

/** `soFar` is filled in while the body is read. */
export async function readJsonBody(
  exchange: Exchange,
  limits: BodyLimits,
  soFar?: BodySoFar,
): Promise<JsonBody> {
  checkHeaders(exchange)
  const { text, bytes } = await readJsonText(exchange, limits, { soFar, checksDepth: true })
  if (soFar) Object.assign(soFar, { text, isWhole: true })
  const json = parse(text, limits)
  if (soFar) soFar.json = json
  // The pieces of the body, and of the text before the parser joined them, are garbage now.
  countDroppedBytes(bytes)
  await pauseAfter(bytes)
  const { depth, members, hasOddNumber } = outlineOf(text)
  if (depth > maxDepth) throw tooMuch('depth', boundsOf(limits))
  // Top-level numbers are settings. Spellings such as Python's `temperature: 1.0` do not justify a pass over the whole body.
  if (hasOddNumber) readSpelling(text, json)
  await pauseAfter(bytes)
  return { json, text, bytes, members }
}

const boundsOf = ({ values, depth = maxDepth }: BodyLimits & { depth?: number }): JsonBounds => ({
  values,
  depth,
})

/** Valid JSON has at most two values in three bytes (`[],`), and two more. */
const cannotExceed = (bytes: number, { values }: BodyLimits) => bytes * 2 + 6 <= values * 3

interface ReadOptions {
  /** Gets each piece. */
  see?(piece: Uint8Array): void
  soFar?: BodySoFar | undefined
  /** The caller parses the text and checks its depth: a text too short to have too many values is not scanned for them. */
  checksDepth?: boolean
}

/** Resolves with a text within the limits, not yet parsed. */
export async function readJsonText(
  exchange: Exchange,
  limits: BodyLimits & { depth?: number },
  { see, soFar, checksDepth = false }: ReadOptions = {},
): Promise<Pick<JsonBody, 'text' | 'bytes'>> {
  const bounds = boundsOf(limits)
  const announced = Number(exchange.header('content-length') ?? Number.NaN)
  const scan = checksDepth && cannotExceed(announced, limits) ? undefined : new JsonScan(bounds)
  const decoder = new StrictUtf8()
  /** The piece that is being scanned: a refusal leaves it here. */
  let last: Uint8Array | undefined
  const take = (piece: Uint8Array) => {
    last = piece
    const excess = scan?.push(piece)
    if (excess) throw tooMuch(excess, bounds)
    last = undefined
    decoder.push(piece)
    see?.(piece)
  }
  try {
    const bytes = await exchange.readBody({ maxBytes: limits.bytes, budget: limits.budget, take })
    const text = decoder.end()
    if (!scan && !cannotExceed(bytes, limits)) refuseExcess(text, bounds)
    return { text, bytes }
  } catch (error) {
    if (soFar) {
      soFar.text = beginningOf(decoder, last)
      const length = Number(exchange.header('content-length'))
      soFar.isWhole = !(error instanceof NotUtf8) && Buffer.byteLength(soFar.text) === length
    }
    // The request object lives on while the rest of the body is discarded: free the decoded text now.
    decoder.drop()
    if (!(error instanceof NotUtf8)) throw error
    throw new GatewayError('invalid-request', 'The body is not valid UTF-8.', { cause: error })
  }
}

/** Bytes that are no UTF-8 become replacement characters. */
function beginningOf(decoder: StrictUtf8, last: Uint8Array = new Uint8Array()): string {
  const text = decoder.beginning(mostOfUnread)
  return text + Buffer.from(last.subarray(0, mostOfUnread - text.length)).toString('utf8')
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

function refuseExcess(text: string, bounds: JsonBounds): void {
  const excess = jsonExcess(text, bounds)
  if (excess) throw tooMuch(excess, bounds)
}

function parse(text: string, limits: BodyLimits): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (text.trim() === '')
      throw new GatewayError('invalid-request', 'The body is empty; send a JSON object.')
    refuseExcess(text, boundsOf(limits))
    // Only the position: the parser's own message quotes the body.
    const at = /position (\d+)/.exec(String(error))?.[1]
    throw new GatewayError(
      'invalid-request',
      `The body is not valid JSON${at ? ` (at character ${at})` : ''}.`,
    )
  }
}
