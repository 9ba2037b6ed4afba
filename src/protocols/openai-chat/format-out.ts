// `response_format` beside tools, for services that cannot do both: they refuse it, or no call can be made. The prompt asks instead.

import { type Fields, isObject } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'
import { formatRequest } from '../tool-text/answer-format.ts'
import type { ChatMessage } from './messages-out.ts'
import type { ServerTraits } from './servers.ts'

interface FormatOptions {
  traits: ServerTraits
  note(text: string): void
}

export function fitFormat(body: Fields, request: TurnRequest, { traits, note }: FormatOptions): void {
  const { tools, tool_choice: choice, response_format: format } = body
  if (traits.formatBesideTools || !isObject(format) || format.type === 'text') return
  if (!Array.isArray(tools) || tools.length === 0 || choice === 'none') return
  const words = formatRequest(request)
  if (words === '') return
  delete body.response_format
  body.messages = withInstruction(body.messages as readonly ChatMessage[], words)
  note('response_format is asked for in the prompt: the service does not take it beside tools')
}

/** At the end of the first system message, which stays the same from turn to turn. */
function withInstruction(messages: readonly ChatMessage[], words: string): ChatMessage[] {
  const at = messages.findIndex(({ role }) => role === 'system' || role === 'developer')
  const system = messages[at]
  if (!system) return [{ role: 'system', content: words }, ...messages]
  const { content } = system
  const longer = Array.isArray(content)
    ? [...content, { type: 'text', text: words }]
    : [content, words].filter(Boolean).join('\n\n')
  return messages.map((message, place) => (place === at ? { ...message, content: longer } : message))
}
