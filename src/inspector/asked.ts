// Reads a request in any of the three dialects: its title for the list, and the beginning that identifies its conversation.

import { hash } from 'node:crypto'
import { isObject } from '../base/json.ts'

export interface Asked {
  title: string
  /** Equal for all turns of a conversation: its key, client and first text. */
  opening: string
  /** The request contains no answer yet. */
  isFirst: boolean
  /** The turn that the request refers to. */
  continues?: string | undefined
}

const longestTitle = 160
const readOfTitle = 10_000

/** `scrub`: titles are cut, and half a secret would not be recognized later. */
export function readAsked(
  body: string,
  whose: readonly (string | undefined)[],
  scrub: (text: string) => string = (text) => text,
): Asked | undefined {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    return undefined
  }
  if (!isObject(json)) return undefined
  const messages = messagesOf(json)
  const users = messages.filter(({ role }) => role === 'user')
  const first = users.map(wordsOf).find((words) => words !== '') ?? ''
  const results = trailingResults(messages)
  const last = users.map(wordsOf).findLast((words) => words !== '') ?? ''
  const title = results > 0 ? `${results} tool ${results === 1 ? 'result' : 'results'}` : last
  const previous = json.previous_response_id
  return {
    title: scrub(title.slice(0, readOfTitle)).replace(/\s+/g, ' ').trim().slice(0, longestTitle),
    opening: hash('sha256', JSON.stringify([...whose, first])),
    isFirst: !messages.some(isAnswer),
    continues:
      typeof previous === 'string' && previous.startsWith('resp_') ? `turn_${previous.slice(5)}` : undefined,
  }
}

type Item = Record<string, unknown>

function messagesOf({ messages, input }: Item): Item[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  const items = Array.isArray(messages) ? messages : Array.isArray(input) ? input : []
  return items.filter(isObject)
}

const isAnswer = ({ role, type }: Item) =>
  role === 'assistant' || role === 'tool' || type === 'function_call' || type === 'custom_tool_call'

function wordsOf({ content }: Item): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : ''))
    .filter((text) => text !== '' && !text.startsWith('<system-reminder>'))
    .join('\n')
}

/** Results after the last answer. */
function trailingResults(messages: readonly Item[]): number {
  let count = 0
  for (const item of messages.toReversed()) {
    const own = resultsIn(item)
    if (own === 0 && (item.role === 'user' || item.role === 'assistant' || isAnswer(item))) break
    count += own
  }
  return count
}

function resultsIn({ role, type, content }: Item): number {
  if (role === 'tool' || type === 'function_call_output' || type === 'custom_tool_call_output') return 1
  if (!Array.isArray(content)) return 0
  return content.filter((part) => isObject(part) && part.type === 'tool_result').length
}
