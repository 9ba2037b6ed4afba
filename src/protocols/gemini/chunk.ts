// The parts of a GenerateContentResponse that streams and whole answers share.

import { jsonString } from '../../base/json-string.ts'
import type { FinishReason, Usage } from '../../core/events.ts'

const finishReasons: Record<FinishReason, string> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  // The service has no reason of its own for calls.
  'tool-calls': 'STOP',
  'content-filter': 'SAFETY',
  other: 'STOP',
}

/** `refused`: the service marked the text as a refusal, whatever its finish reason. */
export const finishReason = (reason: FinishReason, refused: boolean): string =>
  refused && reason === 'stop' ? finishReasons['content-filter'] : finishReasons[reason]

/** Gemini CLI takes an answer without any text for a failure, and asks again. */
export const filteredText = 'The service has withheld the answer (content filter).'

export const textPart = (text: string): string => `{"text":${jsonString(text)}}`

export const thoughtPart = (text: string): string => `{"text":${jsonString(text)},"thought":true}`

/** Beside no text: clients keep such a part, and send it back. */
export const signaturePart = (signature: string): string =>
  `{"text":"","thoughtSignature":${jsonString(signature)}}`

interface Call {
  callId: string
  name: string
  /** The text of a JSON object. It is inserted unparsed: parsing it would lose digits of large numbers. */
  input: string
}

export function callPart({ callId, name, input }: Call, signature: string | undefined): string {
  // A line break would end the SSE line. Inside of strings, JSON has none.
  const args = /[\r\n]/.test(input) ? input.replace(/[\r\n]+/g, ' ') : input
  const signed = signature === undefined ? '' : `,"thoughtSignature":${jsonString(signature)}`
  return `{"functionCall":{"id":${jsonString(callId)},"name":${jsonString(name)},"args":${args}}${signed}}`
}

/** Google counts reasoning apart from the answer. */
export function usageMetadata(usage: Usage | undefined): Record<string, unknown> {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens, reasoningTokens, estimated } = usage ?? {}
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: Math.max(0, outputTokens - (reasoningTokens ?? 0)),
    totalTokenCount: inputTokens + outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cachedContentTokenCount: cacheReadTokens }),
    ...(reasoningTokens === undefined ? {} : { thoughtsTokenCount: reasoningTokens }),
    ...(estimated ? { estimated } : {}),
  }
}

/** What follows the parts of a chunk. `more`: members after the candidates, as JSON with their comma. */
export const closing = (
  { id, model }: { id: string; model: string },
  reason: string | undefined,
  more = '',
): string => {
  const finish = reason === undefined ? '' : `"finishReason":"${reason}",`
  return `]},${finish}"index":0}]${more},"modelVersion":${jsonString(model)},"responseId":${jsonString(id)}}`
}

export const opening = '{"candidates":[{"content":{"role":"model","parts":['
