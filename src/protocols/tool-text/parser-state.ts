// The states of the parser. README.md has the diagram.

import type { TextBuffer } from '../../base/text-buffer.ts'
import type { BareJson } from './bare-json.ts'
import type { CallBody } from './call-body.ts'

/** A call whose body has begun. */
export interface OpenCall {
  /** Its markup up to the body. */
  head: string
  name: string | undefined
  atLineStart: boolean
}

export type State =
  | { in: 'text' }
  | { in: 'thinking'; text: TextBuffer }
  /** In a result that the model repeats or makes up. Calls in it are quotations. */
  | { in: 'result'; closing: string }
  | { in: 'call'; call: OpenCall; body: CallBody }
  /** After a call: closing tags are skipped. `open`: another call may follow in the same tag. */
  | { in: 'after-call'; open: OpenCall | undefined }
  /** In JSON without a tag, which is a call only if the reply ends with it. */
  | { in: 'bare'; json: BareJson; raw: TextBuffer }
  | { in: 'stopped' }

export interface Transition {
  state: State
  /** Where the new state begins to read. */
  at: number
}
