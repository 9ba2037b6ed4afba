// The JSON of a comparison, for the page. Types only.

/**
 * `moved`: the same content at another place of the conversation. `renamed`: the same value under another name. `dropped`: only the
 * side where it came from has it. `added`: only the side where it went has it. `kept`: not sent, because the run or chat upstream has it.
 * `own`: a member that the other dialect does not have.
 */
export type RowKind = 'same' | 'own' | 'kept' | 'moved' | 'renamed' | 'changed' | 'dropped' | 'added'

export type GroupName = 'request' | 'answer' | 'headers'

export interface SideView {
  /** The place in that body, in the words of its dialect. */
  path: string
  /** The value, or its beginning; JSON unless it is a text. */
  text: string
  isText?: true | undefined
  /** The length of the whole, if `text` is its beginning. */
  characters?: number | undefined
}

export interface RowView {
  id: number
  /** Such as `system`, `messages`, `tools`, `settings`. */
  section: string
  /** Such as `call of read: arguments`. */
  label: string
  kind: RowKind
  /** A note says that the gateway repaired it. */
  repaired?: true | undefined
  client?: SideView | undefined
  upstream?: SideView | undefined
  /** The place inside of a longer text where the other side has it. */
  inside?: string | undefined
  /** Indexes of `notes`. */
  notes?: number[] | undefined
}

export interface GroupView {
  name: GroupName
  /** Why there is nothing to compare. */
  problem?: string | undefined
  counts: Partial<Record<RowKind, number>>
  rows: RowView[]
  /** Rows that were left out, because there are too many. */
  leftOut: number
}

export interface ExchangeView {
  number: number
  backend: string
  /** Its address, or `run` where the turn continues one. */
  target: string
  /** Such as `200` or the error. */
  outcome: string
  isGood: boolean
}

export interface ComparisonView {
  /** The exchange that is shown. */
  exchange?: number | undefined
  exchanges: ExchangeView[]
  notes: string[]
  /** Indexes of notes that have no place in either body. */
  wholeTurn: number[]
  groups: GroupView[]
  /** Frames are missing because the turn was too long. */
  cut: boolean
}
