// Errors in OpenAI's shape, out and in. https://platform.openai.com/docs/guides/error-codes

import type { ErrorCode, GatewayError } from '../../core/errors.ts'
import { isObject } from '../json.ts'
import { codeOfStatus, type UpstreamRefusal, upstreamError, wordsOf } from '../upstream-error.ts'

const shapes: Record<ErrorCode, { type: string; code: string | null }> = {
  'invalid-request': { type: 'invalid_request_error', code: null },
  unsupported: { type: 'invalid_request_error', code: 'unsupported_parameter' },
  unauthenticated: { type: 'authentication_error', code: 'invalid_api_key' },
  forbidden: { type: 'permission_error', code: 'forbidden' },
  'not-found': { type: 'invalid_request_error', code: 'not_found' },
  'method-not-allowed': { type: 'invalid_request_error', code: 'method_not_allowed' },
  conflict: { type: 'invalid_request_error', code: 'conflict' },
  'payload-too-large': { type: 'invalid_request_error', code: 'request_too_large' },
  'unsupported-media': { type: 'invalid_request_error', code: 'unsupported_media_type' },
  misdirected: { type: 'invalid_request_error', code: 'misdirected_request' },
  'rate-limited': { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  'quota-exhausted': { type: 'insufficient_quota', code: 'insufficient_quota' },
  'context-overflow': { type: 'invalid_request_error', code: 'context_length_exceeded' },
  'upstream-unavailable': { type: 'server_error', code: 'upstream_unavailable' },
  'upstream-protocol': { type: 'server_error', code: 'upstream_protocol_error' },
  'upstream-challenge': { type: 'permission_error', code: 'upstream_challenge' },
  timeout: { type: 'server_error', code: 'timeout' },
  canceled: { type: 'server_error', code: 'canceled' },
  internal: { type: 'server_error', code: 'internal_error' },
}

export function chatErrorBody(error: GatewayError): Record<string, unknown> {
  const { type, code } = shapes[error.code]
  return { error: { message: error.message, type, param: error.param ?? null, code: error.detail ?? code } }
}

const overflow =
  /context[ _](length|size|window)|maximum (context|model length)|prompt is too long|too many tokens|exceeds? the (model'?s )?(max|context)/i

export const toolTextHint =
  ' (for a model without tool calls, set "tools": "text" for this backend: they are taught in the prompt)'

/** Ollama, vLLM and others, of a model that takes no tools as it is served. */
const noTools =
  /does(n't| not) support (tools|tool|function)|--enable-auto-tool-choice|unsupported parameter: '?tools\b/i

/** OpenAI's errors, and those of servers that nest them less: `{error}`, `{detail}` or `{message}`. */
export function fromChatError(refusal: UpstreamRefusal): GatewayError {
  const { status, body } = refusal
  const error = isObject(body) ? (body.error ?? body.detail ?? body.message) : undefined
  const fields = isObject(error) ? error : {}
  const said = [wordsOf(error), rawWords(fields.metadata)].filter(Boolean).join(': ')
  const kind = [fields.code, fields.type].filter((value) => typeof value === 'string').join(' ')
  const code = codeOf(statedStatus(status, fields), kind, said)
  const hint = code === 'invalid-request' && noTools.test(said) ? toolTextHint : ''
  return upstreamError(refusal, {
    code,
    said: said + hint,
    param: typeof fields.param === 'string' ? fields.param : undefined,
    unknownModel: kind.includes('model') || /\bmodel\b/i.test(said),
  })
}

/** OpenRouter: the words of the provider behind it; its own are always the same. */
function rawWords(metadata: unknown): string {
  const raw = isObject(metadata) ? metadata.raw : undefined
  return typeof raw === 'string' ? raw.slice(0, 1_000) : ''
}

/** Inside an answer, some servers put the status they mean into `code`. */
function statedStatus(status: number, fields: Record<string, unknown>): number {
  const { code } = fields
  const stated = typeof code === 'number' || typeof code === 'string' ? Number(code) : 0
  return status < 400 && stated >= 400 && stated < 600 ? stated : status
}

function codeOf(status: number, kind: string, said: string): ErrorCode {
  const code = codeOfStatus(status)
  if (kind.includes('context_length')) return 'context-overflow'
  if (kind.includes('insufficient_quota') || kind.includes('billing')) return 'quota-exhausted'
  if (status < 400 && kind.includes('rate_limit')) return 'rate-limited'
  const invalid = code === 'invalid-request' || (status < 400 && kind.includes('invalid_request'))
  return invalid ? (overflow.test(said) ? 'context-overflow' : 'invalid-request') : code
}
