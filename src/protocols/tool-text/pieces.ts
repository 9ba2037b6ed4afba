// What a model's text turns out to be, in the order in which it was written.

export interface Call {
  type: 'call'
  name: string
  /** The text of a JSON object. */
  input: string
  /** What was put right, in words; empty where nothing was. */
  changes: readonly string[]
}

export type Piece =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | Call
  /** Meant as a call, and not to be read as one; `problem` is a sentence for the model. */
  | { type: 'malformed'; source: string; problem: string }
  /** A call that was cut off in the middle. */
  | { type: 'cut' }
