// Answers that are not streamed: a whole turn as JSON, and refusals with another status than 200.

import { hasTooManyValues, mostJsonValues, parseJson } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import { redirectError } from '../../protocols/errors/redirect-error.ts'
import type { UpstreamRefusal } from '../../protocols/errors/upstream-error.ts'
import type { TurnReader } from '../../protocols/streams/reader.ts'
import type { UpstreamResponse } from '../../upstream/client.ts'
import { errorType, retryAfter, retryHeaders } from '../../upstream/retry-after.ts'

interface AnswerContext {
  backend: string
  reader: TurnReader
  /** A stream was asked for. */
  stream: boolean
  toError(refusal: UpstreamRefusal): GatewayError
  onJson?(text: string): void
}

interface RefusalText extends Pick<AnswerContext, 'backend' | 'toError'> {
  /** Undefined if it is not JSON. */
  body: unknown
  excerpt: string
}

const maxErrorBytes = 64 * 1024
/** As bytes, text, values and events an answer takes several times its size, all of which has to fit into the turn's budget. */
const maxAnswerBytes = 16 * 1024 * 1024

export async function readWhole(response: UpstreamResponse, turn: AnswerContext): Promise<TurnEvent[]> {
  const { bytes, cut } = await response.body.readAll(maxAnswerBytes)
  const text = (cut ? bytes.subarray(0, maxErrorBytes) : bytes).toString('utf8')
  const json = cut ? undefined : parseJson(text)
  if (json !== undefined) {
    turn.onJson?.(text)
    return turn.reader.whole(json, text, turn.stream)
  }
  const upstream = { status: response.status, excerpt: text }
  if (cut)
    throw new GatewayError(
      'upstream-protocol',
      `${turn.backend}: the upstream sent an answer of more than 16 MiB; ask for less at once, or with "stream": true.`,
      { upstream, retryable: false },
    )
  if (hasTooManyValues(text))
    throw new GatewayError(
      'upstream-protocol',
      `${turn.backend}: the upstream sent an answer of more than ${mostJsonValues} JSON values.`,
      { upstream: { status: response.status, excerpt: text.slice(0, maxErrorBytes) }, retryable: false },
    )
  const what = text === '' ? 'an empty answer' : 'an answer that is not JSON'
  throw new GatewayError(
    'upstream-protocol',
    `${turn.backend}: the upstream sent ${what}; is its "baseUrl" right?`,
    { upstream },
  )
}

export async function readRefusal(response: UpstreamResponse, turn: AnswerContext): Promise<GatewayError> {
  const excerpt = await readExcerpt(response)
  return refusalOf(response, { ...turn, body: parseJson(excerpt), excerpt })
}

export const refusalOf = (
  { status, headers }: Pick<UpstreamResponse, 'status' | 'headers'>,
  { toError, backend, body, excerpt }: RefusalText,
): GatewayError =>
  redirectError({ backend, status, excerpt }) ??
  toError({
    backend,
    status,
    body,
    excerpt,
    retryAfterMs: retryAfter(headers),
    retryHeaders: retryHeaders(headers),
    errorType: errorType(headers),
  })

async function readExcerpt(response: UpstreamResponse): Promise<string> {
  const { bytes } = await response.body.readAll(maxErrorBytes)
  return bytes.toString('utf8')
}
