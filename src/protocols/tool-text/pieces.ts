// What a model's text turns out to be, in the order in which it was written.

export type Piece =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** `input` is the text of a JSON object; `changes` says in words what was put right, empty where nothing was. */
  | { type: 'call'; name: string; input: string; changes: readonly string[]; source: string }
  /** Meant as a call, and not to be read as one; `problem` is a sentence for the model. */
  | { type: 'malformed'; source: string; problem: string }
  /** A call that was cut off in the middle. */
  | { type: 'cut'; source: string }
