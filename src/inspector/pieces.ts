// The text of a delta: the words or the argument characters in a decoded event or message.

import { isObject } from '../base/json.ts'

/** Empty if the data is no delta. */
export function wordsIn(data: unknown): string {
  if (!isObject(data)) return ''
  const { delta, choices, interactionUpdate } = data
  if (typeof delta === 'string') return delta
  if (isObject(delta)) return firstText(delta.text, delta.partial_json, delta.thinking)
  if (Array.isArray(choices) && isObject(choices[0]) && isObject(choices[0].delta))
    return wordsOfChat(choices[0].delta)
  return isObject(interactionUpdate) ? wordsOfUpdate(interactionUpdate) : ''
}

function wordsOfChat({ content, reasoning_content, reasoning, tool_calls }: Record<string, unknown>): string {
  const called = Array.isArray(tool_calls) ? tool_calls.map(wordsOfCall).join('') : ''
  return firstText(content, reasoning_content, reasoning, called)
}

function wordsOfCall(call: unknown): string {
  const { name, arguments: input } =
    isObject(call) && isObject(call.function) ? call.function : { name: '', arguments: '' }
  return [name, input]
    .filter((text) => typeof text === 'string')
    .join(' ')
    .trimStart()
}

function wordsOfUpdate({ textDelta, thinkingDelta, partialToolCall }: Record<string, unknown>): string {
  for (const update of [textDelta, thinkingDelta]) if (isObject(update)) return firstText(update.text)
  return isObject(partialToolCall) ? firstText(partialToolCall.argsTextDelta) : ''
}

const firstText = (...values: unknown[]): string =>
  (values.find((value) => typeof value === 'string' && value !== '') as string | undefined) ?? ''

const longest = 120

/** In quotes, to follow a name. */
export const quoted = (words: string): string =>
  words === '' ? '' : ` ${JSON.stringify(words.length > longest ? `${words.slice(0, longest)}…` : words)}`
