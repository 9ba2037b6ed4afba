// Canonical parts → the parts of Responses items.

import type { Fields } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'
import type { MediaSource, ResultPart, ToolResult, UserPart } from '../../core/request.ts'

const dialect = 'openai-responses'

export const inputPart = (part: UserPart): Readonly<Fields> => {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text }
    case 'image':
      return {
        type: 'input_image',
        ...('fileId' in part.source ? { file_id: part.source.fileId } : { image_url: urlOf(part.source) }),
        ...(part.detail ? { detail: part.detail } : {}),
      }
    case 'file':
      return { type: 'input_file', ...fileOf(part.source, part.filename) }
    case 'audio':
      throw new GatewayError(
        'unsupported',
        'The Responses API of this service takes no audio: send text, or set "api": "chat" for this backend.',
        { param: 'messages' },
      )
    case 'opaque':
      return part.dialect === dialect ? part.value : { type: 'input_text', text: part.text ?? '' }
  }
}

const urlOf = (source: Exclude<MediaSource, { fileId: string }>) =>
  'url' in source ? source.url : `data:${source.mediaType};base64,${source.data}`

/** File data needs a name. */
function fileOf(source: MediaSource, filename: string | undefined): Fields {
  if ('fileId' in source) return { file_id: source.fileId }
  if ('url' in source) return { file_url: source.url }
  const ending = /\/([a-z\d]+)$/i.exec(source.mediaType.slice(0, 100))?.[1] ?? 'bin'
  return { filename: filename ?? `file.${ending}`, file_data: urlOf(source) }
}

/** A text if possible: every server takes that. There is no field for errors, so the text says it. */
export function resultOutput({ content, isError }: ToolResult): string | Readonly<Fields>[] {
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
  const isPlain = content.every(({ type }) => type === 'text')
  const isMarked = !isError || /^\s*error\b/i.test(text)
  if (isPlain) return isMarked ? text : `Error: ${text}`
  const parts = content.map((part: ResultPart) => inputPart(part))
  return isMarked ? parts : [{ type: 'input_text', text: 'Error:' }, ...parts]
}
