// What an assistant said, where it stands in a blob: chat messages are stored as JSON, `{role, content}`.

import { isObject, parseJson } from '../../base/json.ts'

const openBrace = 0x7b

export function assistantText(data: Uint8Array): string {
  if (data[0] !== openBrace) return ''
  const message = parseJson(Buffer.from(data.buffer, data.byteOffset, data.length).toString('utf8'))
  if (!isObject(message) || message.role !== 'assistant') return ''
  if (typeof message.content === 'string') return message.content
  if (!Array.isArray(message.content)) return ''
  return message.content
    .map((part) => (isObject(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : ''))
    .join('')
}
