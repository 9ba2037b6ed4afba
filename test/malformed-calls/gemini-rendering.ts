// An answer as Gemini's service writes it. Arguments are values: what is no JSON never leaves the service, which says so in their place.

import type { ModelAnswer, ModelCall } from './renderings.ts'

/** On the first call of an answer. */
export const callSignature = 'c2VhbGVkIGNhbGw='

const quoted = (value: unknown) => JSON.stringify(value)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const callPart = ({ id, name, arguments: args }: ModelCall, at: number) =>
  `{"functionCall":{"id":${quoted(id)},"name":${quoted(name)},"args":${args}}` +
  `${at === 0 ? `,"thoughtSignature":${quoted(callSignature)}` : ''}}`

/** The parts up to a call that is no JSON, and the end. */
function partsOf({ text, thinking, calls }: ModelAnswer): { parts: string[]; end: string } {
  const broken = calls.findIndex((call) => !isJson(call.arguments))
  const whole = broken < 0 ? calls : calls.slice(0, broken)
  const words = `Malformed function call: ${calls[broken]?.name}`
  return {
    parts: [
      ...(thinking ? [quoted({ text: thinking, thought: true })] : []),
      ...(text === '' ? [] : [quoted({ text })]),
      ...whole.map(callPart),
    ],
    end:
      broken < 0
        ? '"finishReason":"STOP"'
        : `"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":${quoted(words)}`,
  }
}

const chunk = (parts: readonly string[], end: string, { usage }: ModelAnswer) =>
  `{"candidates":[{"content":{"parts":[${parts.join(',')}],"role":"model"}${end === '' ? '' : `,${end}`},"index":0}],` +
  `"usageMetadata":{"promptTokenCount":${usage.input},"candidatesTokenCount":${usage.output},` +
  `"totalTokenCount":${usage.input + usage.output}},"modelVersion":"m","responseId":"r_1"}`

export function geminiWhole(answer: ModelAnswer): string {
  const { parts, end } = partsOf(answer)
  return chunk(parts, end, answer)
}

export function geminiStreamed(answer: ModelAnswer): string {
  const { parts, end } = partsOf(answer)
  const chunks = [...parts.map((part) => chunk([part], '', answer)), chunk(['{"text":""}'], end, answer)]
  // Inside of strings, JSON has no line breaks.
  return chunks.map((one) => `data: ${one.replace(/[\r\n]+/g, ' ')}\r\n\r\n`).join('')
}
