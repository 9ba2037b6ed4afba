/** A segment of an answer: what the model said, thought or called, or that nothing came. */
export interface TimelineSegment {
  kind: 'text' | 'reasoning' | 'tool-call'
  /** Milliseconds since the tape began. */
  from: number
  /** Of its last piece so far. */
  to: number
  /** Of text and reasoning; of a call, its arguments. */
  characters: number
  /** The beginning of it, for a line in a list. */
  preview: string
  /** Of a call. */
  callId?: string
  name?: string
}
