// The JSON that the inspector's page receives. Types only: the page is built from this file too.

import type { TimelineSegment } from '../tapes/timeline-segment.ts'

export interface TurnSummary {
  id: string
  /** Milliseconds since 1970. */
  startedAt: number
  /** The id of the first known turn of the conversation. */
  conversation: string
  /** The request in short: the user's last text, or the number of results. */
  title: string
  door: string
  key: string
  client?: string | undefined
  /** The model of the request. */
  model: string
  stream: boolean
  backend?: string | undefined
  kind?: string | undefined
  upstreamModel?: string | undefined
  /** The number of attempts. */
  tries: number
  running: boolean
  outcome?: string | undefined
  error?: { code: string; message: string } | undefined
  /** So far, if the turn is running. */
  milliseconds: number
  firstOutputMs?: number | undefined
  inputTokens?: number | undefined
  outputTokens?: number | undefined
  estimated?: boolean | undefined
  /** The names of the called tools, in order. */
  calls: string[]
  notes: number
  session?: { state: string; id: string; why?: string | undefined } | undefined
  frames: number
  bytes: number
  /** Frames are missing because the turn was too long. */
  cut: boolean
}

/** A frame for display. */
export interface FrameView {
  /** The number of the frame on the tape. */
  number: number
  at: number
  side: 'client' | 'upstream' | 'run' | 'gateway'
  do: string
  exchange?: number | undefined
  /** One line. */
  label: string
  /**
   * The decoded content: server-sent events, JSON, a message of a run. For a request, everything but the body, which is `raw` and
   * may be long.
   */
  decoded?: unknown
  /** The raw content; bytes as hex digits. */
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

/** The messages of /inspector/events: first everything, then changes. */
export type LiveMessage =
  | ({ type: 'all' } & TurnsAnswer)
  | { type: 'changed'; turns: TurnSummary[]; gone: string[]; sessions: SessionsView[] }
  /** The session has ended, or the gateway stops. */
  | { type: 'bye'; why: 'logout' | 'stopping' }

export type LoginAnswer = { page: string } | { problem: 'used' | 'expired' | 'unknown' | 'too-many' }

/** Sent with every request of the page, in addition to the cookie. */
export const pageHeader = 'x-dragoman-page'
