/** A segment of an answer's timeline: text, reasoning or a tool call. */
export interface TimelineSegment {
  kind: 'text' | 'reasoning' | 'tool-call'
  /** Milliseconds since the tape began. */
  from: number
  /** The time of the last piece so far. */
  to: number
  /** The length of the text; for a call, of its arguments. */
  characters: number
  /** The beginning of the text. */
  preview: string
  /** Only for a call. */
  callId?: string
  name?: string
}
