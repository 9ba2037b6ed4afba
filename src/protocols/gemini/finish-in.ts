// Finish reasons of the service. https://ai.google.dev/api/generate-content#FinishReason

import type { FinishReason } from '../../core/events.ts'

const reasons = new Map<string, FinishReason>([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  // The answer is longer than one request may be; its rest is not asked for.
  ['CONTINUATION', 'length'],
  ['SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['BLOCKLIST', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
  ['SPII', 'content-filter'],
  ['LANGUAGE', 'content-filter'],
  ['IMAGE_SAFETY', 'content-filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content-filter'],
  ['IMAGE_RECITATION', 'content-filter'],
])

/** The model's output was no answer. The same request may succeed. */
const failures = new Map([
  ['MALFORMED_FUNCTION_CALL', 'the model wrote a tool call that the service could not read'],
  ['UNEXPECTED_TOOL_CALL', 'the model called a tool although none was offered'],
  ['TOO_MANY_TOOL_CALLS', 'the model called tools too often in one answer'],
  ['MISSING_THOUGHT_SIGNATURE', 'the service missed a thought signature in the conversation'],
])

export type Finish = { kind: 'end'; reason: FinishReason; isOdd: boolean } | { kind: 'failure'; what: string }

const plain = /^[A-Z][A-Z_]{0,60}$/

/** `hasOutput`: without any, an end for no stated cause is a failure. */
export function readFinish(reason: string, hasOutput: boolean): Finish {
  const failure = failures.get(reason)
  if (failure !== undefined) return { kind: 'failure', what: `${failure} (${reason})` }
  const known = reasons.get(reason)
  if (known !== undefined) return { kind: 'end', reason: known, isOdd: false }
  if (hasOutput) return { kind: 'end', reason: 'other', isOdd: true }
  const named = plain.test(reason) ? reason : 'a finish reason of its own'
  return { kind: 'failure', what: `the service ended without an answer (${named})` }
}
