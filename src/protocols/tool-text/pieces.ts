// The output types of the parser: pieces of a model's text in their order.

export interface Call {
  type: 'call'
  name: string
  /** The text of a JSON object. */
  input: string
  /** The repairs, in words. */
  changes: readonly string[]
}

export type Piece =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | Call
  /** Meant as a call, but unreadable; `problem` is a sentence for the model. */
  | { type: 'malformed'; source: string; problem: string }
  /** A call that the service cut off. */
  | { type: 'cut' }
