// Why an answer ended, in the conventions' words; those that they do not have stay as they are.

const words = new Map([
  ['tool-calls', 'tool_call'],
  ['content-filter', 'content_filter'],
])

export const finishReason = (outcome: string): string => words.get(outcome) ?? outcome
