// Finish reasons in the terms of the conventions; reasons that they lack stay unchanged.

const words = new Map([
  ['tool-calls', 'tool_call'],
  ['content-filter', 'content_filter'],
])

export const finishReason = (outcome: string): string => words.get(outcome) ?? outcome
