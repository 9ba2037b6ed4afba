// Reads a request in any dialect: its title for the list, and the beginning that identifies its conversation.

import { hash } from 'node:crypto'
import { isObject } from '../base/json.ts'

export interface Asked {
  /** The user's last words; empty if the request has none. */
  question: string
  /** Tool results after the last answer. */
  results: number
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
  const last = users.map(wordsOf).findLast((words) => words !== '') ?? ''
  const previous = json.previous_response_id
  return {
    question: scrub(last.slice(0, readOfTitle)).replace(/\s+/g, ' ').trim().slice(0, longestTitle),
    results: trailingResults(messages),
    opening: hash('sha256', JSON.stringify([...whose, first])),
    isFirst: !messages.some(isAnswer),
    continues:
      typeof previous === 'string' && previous.startsWith('resp_') ? `turn_${previous.slice(5)}` : undefined,
  }
}

/** `question`: of the conversation, if the request itself has none. */
export function titleOf({ results, ...asked }: Pick<Asked, 'question' | 'results'>, question = ''): string {
  const words = asked.question || question
  if (results === 0) return words
  const came = `${results} ${results === 1 ? 'result' : 'results'}`
  return words === '' ? came : `${words.slice(0, longestTitle - came.length - 3)} · ${came}`
}

type Item = Record<string, unknown>

function messagesOf({ messages, input, contents, prompt }: Item): Item[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  if (typeof prompt === 'string') return [{ role: 'user', content: prompt }]
  if (Array.isArray(contents)) return contents.filter(isObject).map(ofGemini)
  const items = Array.isArray(messages) ? messages : Array.isArray(input) ? input : []
  return items.filter(isObject)
}

/** A content without a role is the user's. */
const ofGemini = ({ role, parts }: Item): Item => ({
  role: role === 'model' ? 'assistant' : 'user',
  content: parts,
})

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
  return content.filter(
    (part) => isObject(part) && (part.type === 'tool_result' || isObject(part.functionResponse)),
  ).length
}
