// The transcript of a turn as the page receives it. Types only: the page is built from this file too.

import type { TimelineSegment } from '../tapes/timeline-segment.ts'
import type { TurnSummary } from './api.ts'

type PartKind =
  | 'text'
  | 'reasoning'
  | 'call'
  | 'image'
  | 'file'
  /** A search of deferred tools: `name` says whether the text is its query or what it found. */
  | 'search'
  /** What only its dialect knows, as JSON. `name` is the dialect and its type. */
  | 'opaque'
  | 'error'
  /** What could not be read, as it came. */
  | 'raw'

export interface TranscriptPart {
  /** `/inspector/turns/TURN/parts/NUMBER` has it whole. */
  turn: string
  number: number
  kind: PartKind
  /** The beginning; for a call its arguments as text, for an image or a file its base64, or nothing of it. */
  text: string
  /** Of the whole text, in characters; of an image or a file in bytes. */
  size: number
  /** The tool of a call, the name of a file, the code of an error. */
  name?: string | undefined
  callId?: string | undefined
  mediaType?: string | undefined
  /** Where an image or a file is, if it is not in the request. */
  url?: string | undefined
  /** A call whose arguments are still coming. */
  isOpen?: boolean | undefined
  /** Of a call. */
  result?: TranscriptResult | undefined
}

export interface TranscriptResult {
  callId: string
  isError: boolean
  parts: TranscriptPart[]
  /** From the end of the turn with the call to the start of the turn that brought the result. */
  milliseconds?: number | undefined
}

export interface TranscriptEntry {
  role: 'system' | 'user' | 'assistant' | 'tool'
  parts: TranscriptPart[]
  /** Results whose calls are not shown. */
  results: TranscriptResult[]
  /** The kept turn whose answer this is. */
  turn?: string | undefined
  isChosen?: boolean | undefined
  /** It is from an earlier turn, and not in the request of the chosen one. */
  isOutside?: boolean | undefined
  /** Its request repeats nothing of what came before: the client compacted the conversation, or began anew. */
  isRewritten?: boolean | undefined
  /** Of the chosen turn's answer. */
  state?: 'running' | 'gone' | undefined
}

export interface Transcript {
  summary: TurnSummary
  notes: string[]
  segments: TimelineSegment[]
  /** The number of frames on each side. */
  frames: { client: number; others: number }
  entries: TranscriptEntry[]
  /** The request continues messages that are not kept. */
  isPartial: boolean
  /** Why the request cannot be read; it is shown as it came. */
  problem?: string | undefined
  /** Turns that are not shown: the conversation began anew too often. */
  leftOut: number
}
