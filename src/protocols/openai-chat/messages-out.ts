// Canonical messages → Chat Completions messages.

import type { MediaSource, Message, ResultPart, ToolResult, UserPart } from '../../core/request.ts'

export type ChatMessage = Record<string, unknown> & { role: string }

interface ChatMessagesOptions {
  /** Messages that arrived as Chat messages are sent unchanged. */
  verbatim: boolean
  /** Include `reasoning_content`, which is not a field of OpenAI's and is refused by many servers. */
  reasoning: boolean
}

export function toChatMessages(
  messages: readonly Message[],
  { verbatim, reasoning }: ChatMessagesOptions,
): ChatMessage[] {
  return messages.flatMap((message): ChatMessage[] => {
    if (verbatim && message.role !== 'tool' && message.source) return [message.source as ChatMessage]
    switch (message.role) {
      case 'system':
        return [{ role: 'system', content: joinedText(message.content) }]
      case 'user':
        return [{ role: 'user', content: partsOrText(message.content) }]
      case 'assistant':
        return [toAssistant(message, reasoning)]
      case 'tool':
        return toResults(message.results, verbatim)
    }
  })
}

const joinedText = (parts: readonly { type: string; text?: string }[]) =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : [])).join('\n\n')

function toAssistant(message: Extract<Message, { role: 'assistant' }>, withReasoning: boolean): ChatMessage {
  const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  const reasoning = message.content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('')
  const calls = message.content.flatMap((part) =>
    part.type === 'tool-call'
      ? [{ id: part.callId, type: 'function', function: { name: part.name, arguments: part.input } }]
      : [],
  )
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(withReasoning && reasoning !== '' ? { reasoning_content: reasoning } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

/** Tool messages contain text only. Images and files of the results follow in a user message. */
function toResults(results: readonly ToolResult[], verbatim: boolean): ChatMessage[] {
  const media: ResultPart[] = []
  const answers = results.map((result): ChatMessage => {
    if (verbatim && result.source) return result.source as ChatMessage
    const attached = result.content.filter((part) => part.type !== 'text')
    for (const part of attached) media.push(part)
    const text = joinedText(result.content) || (attached.length > 0 ? '(the result is attached below)' : '')
    const marked = result.isError && !/^\s*error\b/i.test(text) ? `Error: ${text}` : text
    return { role: 'tool', tool_call_id: result.callId, content: marked }
  })
  return media.length === 0 ? answers : [...answers, { role: 'user', content: media.map(toPart) }]
}

function partsOrText(parts: readonly UserPart[]): unknown {
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? only.text : parts.map(toPart)
}

function toPart(part: UserPart): Readonly<Record<string, unknown>> {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image':
      return {
        type: 'image_url',
        image_url: { url: toUrl(part.source), ...(part.detail ? { detail: part.detail } : {}) },
      }
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } }
    case 'file': {
      const name = part.filename ? { filename: part.filename } : {}
      return {
        type: 'file',
        file:
          'fileId' in part.source
            ? { file_id: part.source.fileId, ...name }
            : { file_data: toUrl(part.source), ...name },
      }
    }
    case 'opaque':
      return part.value
  }
}

function toUrl(source: MediaSource): string {
  if ('url' in source) return source.url
  return 'data' in source ? `data:${source.mediaType};base64,${source.data}` : source.fileId
}
