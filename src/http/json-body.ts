// A request body as JSON: the right media type, no encodings, valid UTF-8, bounded in size and depth.

import { isDeeper } from '../core/depth.ts'
import { GatewayError } from '../core/errors.ts'
import type { Exchange } from './exchange.ts'

const maxDepth = 64
/** A page of another site cannot send this type without asking first; it could send one that only looks like it. */
const jsonType = /^application\/json[\t ]*(?:;|$)/i

export async function readJsonBody(
  exchange: Exchange,
  maxBytes: number,
): Promise<{ json: unknown; text: string; bytes: number }> {
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
  const bytes = await exchange.body(maxBytes)
  const text = decode(bytes)
  const json = parse(text)
  if (isDeeper(json, maxDepth))
    throw new GatewayError('invalid-request', `The body is nested more than ${maxDepth} levels deep.`)
  return { json, text, bytes: bytes.length }
}

const strictly = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array): string {
  try {
    return strictly.decode(bytes)
  } catch (error) {
    throw new GatewayError('invalid-request', 'The body is not valid UTF-8.', { cause: error })
  }
}

function parse(text: string): unknown {
  if (text.trim() === '') throw new GatewayError('invalid-request', 'The body is empty; send a JSON object.')
  try {
    return JSON.parse(text)
  } catch (error) {
    // Only the place is repeated: the parser's own message quotes the body.
    const at = /position (\d+)/.exec(String(error))?.[1]
    throw new GatewayError(
      'invalid-request',
      `The body is not valid JSON${at ? ` (at character ${at})` : ''}.`,
    )
  }
}
