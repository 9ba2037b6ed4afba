// The messages of a request as entries.

import { isMissingResult } from '../../core/history.ts'
import type {
  AssistantPart,
  AudioPart,
  FilePart,
  ImagePart,
  MediaSource,
  Message,
  OpaquePart,
  ResultPart,
  UserPart,
} from '../../core/request.ts'
import { type Entry, keysOf, type NewPart, type PartNumbers, type Result } from './entry.ts'

export function readMessages(messages: readonly Message[], numbers: PartNumbers): Entry[] {
  return messages.map((message) => {
    if (message.role === 'tool') {
      const results = message.results.filter((result) => !isMissingResult(result))
      return entry(
        'tool',
        [],
        results.map(({ callId, isError = false, content }) => ({
          callId,
          isError,
          parts: content.map((part) => numbers.place(readPart(part))),
        })),
      )
    }
    return entry(
      message.role,
      message.content.map((part) => numbers.place(readPart(part))),
      [],
    )
  })
}

const entry = (role: Entry['role'], parts: Entry['parts'], results: Result[]): Entry => ({
  role,
  keys: keysOf(role, parts, results),
  parts,
  results,
})

function readPart(part: UserPart | AssistantPart | ResultPart): NewPart {
  switch (part.type) {
    case 'text':
      return { kind: 'text', text: part.text }
    case 'reasoning':
      return { kind: 'reasoning', text: part.text }
    case 'tool-call':
      return { kind: 'call', name: part.name, callId: part.callId, text: part.input }
    case 'image':
    case 'file':
    case 'audio':
      return readMedia(part)
    default:
      return readOpaque(part)
  }
}

function readMedia(part: ImagePart | FilePart | AudioPart): NewPart {
  if (part.type === 'audio') return { kind: 'file', mediaType: `audio/${part.format}`, text: part.data }
  const named = part.type === 'file' && part.filename !== undefined ? { name: part.filename } : {}
  return { kind: part.type, ...named, ...readSource(part.source) }
}

function readSource(source: MediaSource): Pick<NewPart, 'text' | 'mediaType' | 'url'> {
  if ('data' in source) return { mediaType: source.mediaType, text: source.data }
  return { url: 'url' in source ? source.url : `file ${source.fileId}`, text: '' }
}

function readOpaque({ dialect, value, search }: OpaquePart): NewPart {
  if (search) return searchPart(search)
  return opaquePart(dialect, value)
}

/** Beyond this, an indented text would cost too much. */
const longestIndented = 100_000

export function opaquePart(dialect: string, value: unknown): NewPart {
  const type =
    typeof value === 'object' && value !== null && 'type' in value ? String(value.type).slice(0, 100) : 'part'
  const plain = JSON.stringify(value) ?? ''
  const text = plain.length > longestIndented ? plain : JSON.stringify(value, null, 2)
  return { kind: 'opaque', name: `${dialect}: ${type}`, text: text ?? '' }
}

/** A search of deferred tools: its query, or the names that it found. */
export const searchPart = ({
  query,
  found,
}: {
  query?: string | undefined
  found?: readonly string[] | undefined
}): NewPart => ({
  kind: 'search',
  name: found ? 'found' : 'query',
  text: found ? found.join('\n') : (query ?? ''),
})
