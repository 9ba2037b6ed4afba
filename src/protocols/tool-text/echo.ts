// Echoes: text that the model only repeats, from a message or from the description of a tool. An echo is no call, even if it
// looks like one.

import { isObject, parseJson } from '../../base/json.ts'
import type { Message, TurnRequest } from '../../core/request.ts'
import { signatureOf } from './tools-section.ts'

type Shown = Pick<TurnRequest, 'messages' | 'tools'>

/** Returns a test whether the model was shown this JSON. White space makes no difference. */
export function echoOf({ messages, tools }: Shown): (json: string) => boolean {
  // Built once, at the first use: an answer may repeat thousands of calls of a long conversation.
  let shown: string[] | undefined
  return (json) => {
    if (describesTool(parseJson(json))) return true
    shown ??= [
      ...tools.flatMap((tool) => [signatureOf(tool), tool.description ?? '']),
      ...messages.flatMap(textsOf),
    ].map(squeezed)
    const wanted = squeezed(json)
    return shown.some((text) => text.includes(wanted))
  }
}

const squeezed = (text: string) => text.replace(/\s+/g, '')

function textsOf(message: Message): string[] {
  if (message.role === 'assistant') return []
  const parts = message.role === 'tool' ? message.results.flatMap(({ content }) => content) : message.content
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

/** A schema in place of arguments, as in a list of tools that the user asked for. */
function describesTool(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(describesTool)
  if (!isObject(value)) return false
  const { parameters, description } = isObject(value.function) ? value.function : value
  if (!isObject(parameters)) return false
  return typeof description === 'string' || (parameters.type === 'object' && isObject(parameters.properties))
}
