// The JSON that the inspector's page receives. Types only: the page is built from this file too.

import type { AccountView } from '../core/pool/account.ts'
import type { TurnedAwayReason } from '../http/turned-away.ts'
import type { Cost } from '../observe/cost.ts'
import type { FiguresSnapshot } from '../observe/figures.ts'
import type { TimelineSegment } from '../tapes/timeline-segment.ts'

export interface TurnSummary {
  id: string
  /** Milliseconds since 1970. */
  startedAt: number
  /** The id of the first known turn of the conversation. */
  conversation: string
  /** How it was found, with several processes: another one may have the turns before. */
  thread?: { opening: string; isFirst: boolean; continues?: string | undefined } | undefined
  /** The request in short: the user's last text, and the number of results that came since. */
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
  /** Backends that were not asked, because their breakers were open. */
  skipped?: number | undefined
  running: boolean
  outcome?: string | undefined
  error?: { code: string; message: string } | undefined
  /** So far, if the turn is running. */
  milliseconds: number
  firstOutputMs?: number | undefined
  inputTokens?: number | undefined
  outputTokens?: number | undefined
  /** Parts of the two totals, if the service reports them. */
  cacheReadTokens?: number | undefined
  cacheWriteTokens?: number | undefined
  reasoningTokens?: number | undefined
  estimated?: boolean | undefined
  /** Once the turn has ended, unless costs are switched off. */
  cost?: Cost | undefined
  /** The names of the called tools, in order. */
  calls: string[]
  notes: number
  session?: { state: string; id: string; why?: string | undefined } | undefined
  frames: number
  bytes: number
  /** Frames are missing because the turn was too long. */
  cut: boolean
  /** The HTTP status of the answer. */
  status?: number | undefined
  /** Stays when newer turns need its place. */
  pinned?: true | undefined
  /** The turn whose request was sent again. */
  resentFrom?: string | undefined
  /** What to know of its tape. */
  remark?: string | undefined
}

/** A frame for display. */
export interface FrameView {
  /** The number of the frame on the tape. */
  number: number
  at: number
  side: 'client' | 'upstream' | 'run' | 'tool' | 'gateway'
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
  attempts: AttemptView[]
}

/** One attempt to get an answer from a backend. */
export interface AttemptView {
  /** Milliseconds since the turn began. */
  at: number
  backend: string
  model: string
  /** `skipped`: not asked, because its breaker was open. */
  outcome: 'running' | 'answered' | 'failed' | 'skipped'
  milliseconds?: number | undefined
  /** The HTTP status of the service's answer. */
  status?: number | undefined
  code?: string | undefined
  message?: string | undefined
  /** The beginning of the service's error body. */
  body?: string | undefined
  next?: 'retry' | 'fallback' | 'give up' | undefined
  /** The pause before the retry. */
  waitMs?: number | undefined
}

/** Requests that were turned away in one minute, for one reason; or turns that were served but not kept, for their rate. */
export interface TurnedAwayCount {
  /** Its beginning, in milliseconds since 1970. */
  minute: number
  reason: TurnedAwayReason | 'rate'
  count: number
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
  may: Abilities
  turns: TurnSummary[]
  sessions: SessionsView[]
  /** Of the last hour, newest first; empty for a viewer of one key's turns. */
  turnedAway: TurnedAwayCount[]
  /** Processes that serve with this one and do not answer. */
  missing?: string[] | undefined
}

/** The last minutes: of this process and of all others that serve with it. */
export interface FiguresAnswer extends FiguresSnapshot {
  version: string
  /** Milliseconds since 1970. */
  at: number
  sessions: SessionsView[]
  /** Of all backends; empty for a viewer of one key's turns. */
  accounts: AccountView[]
  /** How many processes these figures are of, and those that did not answer. */
  processes: number
  missing: string[]
}

/** What the page may do, beside showing turns. */
export interface Abilities {
  /** Send a request again; a text says why not. */
  resend: true | string
  /** Pin and clear turns. */
  change: boolean
  /** The folder or file, where the turns are tapes from disk. */
  tapes?: string | undefined
}

/** The messages of /inspector/events: first everything, then changes. */
export type LiveMessage =
  | ({ type: 'all' } & TurnsAnswer)
  | {
      type: 'changed'
      turns: TurnSummary[]
      gone: string[]
      sessions: SessionsView[]
      /** Only if they have changed. */
      turnedAway?: TurnedAwayCount[]
      missing?: string[] | undefined
    }
  /** The session has ended, or the gateway stops. */
  | { type: 'bye'; why: 'logout' | 'stopping' }

/** The answer of /inspector/search. */
export interface SearchAnswer {
  /** Newest first. */
  hits: SearchHit[]
  /** How many turns were looked at. */
  searched: number
  /** Older turns were not looked at: there are enough hits. */
  more: boolean
  /** Processes that did not answer in time. */
  missing?: string[] | undefined
}

export interface SearchHit {
  turn: string
  /** Milliseconds since 1970. */
  startedAt: number
  found: FoundText[]
}

/** A place with one of the words. */
export interface FoundText {
  /** Such as `Request: messages[3].content`. */
  where: string
  before: string
  found: string
  after: string
}

/** A turn as lines, to compare with another. */
export interface TurnOutline {
  request: OutlineLines
  answer: OutlineLines
}

interface OutlineLines {
  lines: string[]
  /** There are more. */
  cut: boolean
}

export type LoginAnswer = { page: string } | { problem: 'used' | 'expired' | 'unknown' | 'too-many' }

/** Sent with every request of the page, in addition to the cookie. */
export const pageHeader = 'x-dragoman-page'
