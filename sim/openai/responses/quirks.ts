// Quirks of servers with a Responses API: how they differ from OpenAI in otherwise correct answers, and how they fail.

export const RESPONSES_QUIRKS = {
  'no-deltas': 'items come whole: no event between `output_item.added` and `output_item.done`',
  'done-only': 'text and arguments come in their `.done` events, without deltas',
  'items-at-end': 'no event of an item: the items are in `response.completed`',
  'no-item-ids': 'items and events have no item ids',
  'rotating-ids': 'an item has another id in every event (GitHub Copilot)',
  'same-item-ids': 'all items have one id',
  'index-gaps': '`output_index` counts by threes',
  'unknown-events': 'events, items and parts that nobody knows',
  'keepalive-events': '`keepalive` events between the others',
  'no-event-lines': 'events have data only',
  'done-mark': 'the stream ends with `[DONE]`',
  'empty-output': 'the last event has an empty `output`',
  'no-usage': 'no usage',
  'raw-reasoning': 'reasoning is shown as `reasoning_text`, not as a summary (gpt-oss)',
  'error-then-failed': 'an `error` event and then `response.failed`, for one fault',
  'failed-alone': '`response.failed` without an `error` event',
  'flat-error': 'a documented `error` event, its fields beside its type, and the end of the stream',
  'no-end': 'the stream ends without its last event',
} as const

export type ResponsesQuirk = keyof typeof RESPONSES_QUIRKS

export const isResponsesQuirk = (name: string): name is ResponsesQuirk =>
  Object.hasOwn(RESPONSES_QUIRKS, name)
