// Errors of OpenAI-compatible services → our error codes. https://platform.openai.com/docs/guides/error-codes

import type { ErrorCode, GatewayError } from '../../core/errors.ts'
import { isOverflow, isRateLimit } from '../errors/overflow.ts'
import { readRefusal } from '../errors/refusal.ts'
import { codeOfStatus, type UpstreamRefusal, upstreamError } from '../errors/upstream-error.ts'

export const toolTextHint =
  ' (for a model without tool calls, set "tools": "text" for this backend: the prompt then describes the tools)'

/** Messages of Ollama, vLLM and others about a model that is served without tool support. */
const noTools =
  /does(n't| not) support (tools|tool|function)|--enable-auto-tool-choice|unsupported parameter: '?tools\b/i

/** Reads OpenAI's error body and every variant of it. */
export function fromChatError(
  refusal: UpstreamRefusal,
  { silentOverflow }: { silentOverflow?: boolean } = {},
): GatewayError {
  const { text, kind, param, status, ownCode, type } = readRefusal(refusal)
  if (text === '' && silentOverflow && (status === 400 || status === 413))
    return upstreamError(refusal, { code: 'context-overflow', text: silentOverflowText(status), param })
  const code = codeOf(status, kind, text)
  const hint = code === 'invalid-request' && noTools.test(text) ? toolTextHint : ''
  return upstreamError(refusal, {
    code,
    text: text + hint,
    param,
    unknownModel: kind.includes('model') || /\bmodel\b/i.test(text),
    form: 'openai',
    statedStatus: status,
    serviceCode: ownCode,
    type,
  })
}

const silentOverflowText = (status: number) =>
  `HTTP ${status} without an explanation; this service answers so if the conversation is too long for the model`

const quota = /insufficient_quota|billing|exceeded_current_quota/

function codeOf(status: number, kind: string, text: string): ErrorCode {
  if (quota.test(kind)) return 'quota-exhausted'
  const code = codeOfStatus(status)
  const inside = status < 400
  // Groq: the model wrote an unreadable call. A retry may succeed.
  if (kind.includes('tool_use_failed')) return 'upstream-protocol'
  if (/context_length|exceed_context_size/.test(kind)) return 'context-overflow'
  if ((inside || status === 413) && isRateLimit(kind, text)) return 'rate-limited'
  if (!inside && code !== 'invalid-request' && code !== 'payload-too-large') return code
  if (isOverflow(kind, text)) return 'context-overflow'
  return inside && kind.includes('invalid_request') ? 'invalid-request' : code
}
