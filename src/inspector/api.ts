// What the inspector's page is told, as JSON. Types alone: the page is built from this file, too.

import type { TimelineSegment } from '../tapes/timeline-segment.ts'

export interface TurnSummary {
  id: string
  /** Milliseconds since 1970. */
  startedAt: number
  /** The id of the first turn of its conversation that was seen. */
  conversation: string
  /** What the request asks: the user's last words, or that results came. */
  title: string
  door: string
  key: string
  client?: string | undefined
  /** As the client named it. */
  model: string
  stream: boolean
  backend?: string | undefined
  kind?: string | undefined
  upstreamModel?: string | undefined
  /** How often a backend was asked. */
  tries: number
  running: boolean
  outcome?: string | undefined
  error?: { code: string; message: string } | undefined
  /** So far, where it runs. */
  milliseconds: number
  firstOutputMs?: number | undefined
  inputTokens?: number | undefined
  outputTokens?: number | undefined
  estimated?: boolean | undefined
  /** The names of what was called, in order. */
  calls: string[]
  notes: number
  session?: { state: string; id: string; why?: string | undefined } | undefined
  frames: number
  bytes: number
  /** Something was left out, for it was too long. */
  cut: boolean
}

/** A frame as it is shown. */
export interface FrameView {
  /** Its place on the tape. */
  number: number
  at: number
  side: 'client' | 'upstream' | 'run' | 'gateway'
  do: string
  exchange?: number | undefined
  /** One line. */
  label: string
  /** What it means: server-sent events, JSON, a message of a run; of requests all but the body, which is `raw` and may be long. */
  decoded?: unknown
  /** As it was on the wire; bytes as hexadecimal digits. */
  raw?: string | undefined
  isHex?: true | undefined
}

export interface TurnDetail {
  summary: TurnSummary
  recordedAt: string
  notes: string[]
  segments: TimelineSegment[]
  frames: FrameView[]
}

export interface SessionsView {
  backend: string
  answering: number
  waiting: number
  waitingBytes: number
  sessions: SessionView[]
}

interface SessionView {
  id: string
  model: string
  state: 'answering' | 'waiting'
  /** Milliseconds since 1970. */
  since: number
}

export interface TurnsAnswer {
  version: string
  turns: TurnSummary[]
  sessions: SessionsView[]
}

/** What comes by /inspector/events: all that is known first, then what has changed. */
export type LiveMessage =
  | ({ type: 'all' } & TurnsAnswer)
  | { type: 'changed'; turns: TurnSummary[]; gone: string[]; sessions: SessionsView[] }
  /** The session was ended, or the gateway stops. */
  | { type: 'bye'; why: 'logout' | 'stopping' }

export type LoginAnswer = { page: string } | { problem: 'used' | 'expired' | 'unknown' | 'too-many' }

/** Goes with every request of the page, beside the cookie. */
export const pageHeader = 'x-dragoman-page'
