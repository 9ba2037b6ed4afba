// Text that a model only repeats: what somebody else wrote, or how a tool was described to it. Neither is a call, even
// where it looks like one.

import type { TurnRequest } from '../../core/request.ts'
import { isObject, parseJson } from '../json.ts'
import { signatureOf } from './tools-section.ts'

type Shown = Pick<TurnRequest, 'messages' | 'tools'>

/** White space makes no difference. */
export function isEcho(json: string, { messages, tools }: Shown): boolean {
  const wanted = json.replace(/\s+/g, '')
  const isIn = (shown: string) => shown.replace(/\s+/g, '').includes(wanted)
  if (describesTool(parseJson(json))) return true
  if (tools.some((tool) => isIn(signatureOf(tool)) || isIn(tool.description ?? ''))) return true
  return messages.some((message) => {
    if (message.role === 'assistant') return false
    const parts =
      message.role === 'tool' ? message.results.flatMap(({ content }) => content) : message.content
    return parts.some((part) => part.type === 'text' && isIn(part.text))
  })
}

/** A schema in the place of arguments, as in a list of tools that the model was asked for. */
function describesTool(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(describesTool)
  if (!isObject(value)) return false
  const { parameters, description } = isObject(value.function) ? value.function : value
  if (!isObject(parameters)) return false
  return typeof description === 'string' || (parameters.type === 'object' && isObject(parameters.properties))
}
