import type { Message, TurnRequest } from '../../core/request.ts'
import { familiesOf } from './families.ts'
import type { Markup } from './markup.ts'
import { type TextRequestOptions, toTextRequest } from './render.ts'

export const json: Markup = { format: 'json', callTag: 'tool_call', resultTag: 'tool_response' }
export const xml: Markup = { format: 'xml', callTag: 'use_tool', resultTag: 'use_tool_result' }

export const read = {
  name: 'read',
  description: 'Reads a file',
  schema: { type: 'object', properties: { path: {} } },
}

export function requestOf(messages: Message[], more: Partial<TurnRequest> = {}): TurnRequest {
  const origin = { dialect: 'openai-chat', body: { model: 'm', messages: [] }, faithful: true }
  return { model: 'm', messages, tools: [], stream: true, origin, ...more }
}

export function render(request: TurnRequest, more: Partial<TextRequestOptions> = {}) {
  const notes: string[] = []
  const markup = more.markup ?? json
  const note = (text: string) => notes.push(text)
  const options = { markup, systemRole: true, markers: familiesOf(markup).markers, note, ...more }
  return { ...toTextRequest(request, options), notes }
}

/** Each message as its role and its content: the text, or what kinds of parts there are. */
export function shown(request: TurnRequest, more?: Partial<TextRequestOptions>): [string, string][] {
  return render(request, more).request.messages.map((message) => {
    if (message.role === 'tool') throw new Error('a tool message')
    return [
      message.role,
      message.content.map((part) => (part.type === 'text' ? part.text : part.type)).join('|'),
    ]
  })
}

export const text = (value: string) => ({ type: 'text' as const, text: value })
export const system = (value: string): Message => ({ role: 'system', content: [text(value)] })
export const user = (value: string): Message => ({ role: 'user', content: [text(value)] })
export const assistant = (value: string): Message => ({ role: 'assistant', content: [text(value)] })
export const call = (callId: string, name: string, input: string) => ({
  type: 'tool-call' as const,
  callId,
  name,
  input,
})
export const result = (callId: string, value: string) => ({ callId, content: [text(value)] })
export const image = { type: 'image' as const, source: { url: 'https://example.com/a.png' } }
