// A conversation as entries with parts, in full. What the page gets of it is in ../transcript-api.ts.

import type { TranscriptPart } from '../transcript-api.ts'

export interface Part
  extends Pick<TranscriptPart, 'kind' | 'name' | 'callId' | 'mediaType' | 'url' | 'isOpen'> {
  /** The whole text; for a call its arguments, for an image or a file its base64, for an opaque part its JSON. */
  text: string
  /** Its place on the tape of `turn`. */
  turn: string
  number: number
}

export interface Result {
  callId: string
  isError: boolean
  parts: Part[]
}

export interface Entry {
  role: 'system' | 'user' | 'assistant' | 'tool'
  /** One is equal for the same message in the requests of two turns. */
  keys: readonly string[]
  parts: Part[]
  /** Only of the role `tool`. */
  results: Result[]
  /** The kept turn whose answer this is. */
  answerOf?: string | undefined
}

export type NewPart = Omit<Part, 'turn' | 'number'>

/** Numbers the parts of a turn. Those of its answer are even: a running answer grows, and other turns may need its parts alone. */
export class PartNumbers {
  readonly #turn: string
  #next: number

  constructor(turn: string, of: 'request' | 'answer') {
    this.#turn = turn
    this.#next = of === 'answer' ? 0 : 1
  }

  place(part: NewPart): Part {
    const number = this.#next
    this.#next += 2
    return { ...part, turn: this.#turn, number }
  }
}

export const partsIn = ({ parts, results }: Entry): Part[] => [
  ...parts,
  ...results.flatMap((result) => result.parts),
]

const keyLength = 500

/**
 * Clients drop reasoning, trim text, move their reminders and clear old results: calls and results are known by their ids, texts by their
 * first words. Calls are known by their arguments too: some clients drop the ids.
 */
export function keysOf(role: Entry['role'], parts: readonly NewPart[], results: readonly Result[]): string[] {
  if (role === 'tool') return [`tool ${results.map(({ callId }) => callId).join(' ')}`]
  const calls = parts.filter(({ kind }) => kind === 'call')
  if (calls.length > 0)
    return [
      `calls ${calls.map(({ callId }) => callId).join(' ')}`,
      `made ${calls.map((call) => `${call.name} ${wordsOf(call)}`).join(' ')}`,
    ]
  const words = parts.map(wordsOf).join(' ').trim().slice(0, keyLength)
  return words === '' ? [] : [`${role} ${words}`]
}

function wordsOf({ kind, text, url }: NewPart): string {
  if (kind === 'reasoning' || kind === 'error' || text.startsWith('<system-reminder>')) return ''
  return (url ?? text)
    .slice(0, 4 * keyLength)
    .replace(/\s+/g, '')
    .slice(0, keyLength)
}
