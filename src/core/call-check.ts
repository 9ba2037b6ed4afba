import type { KnownCall } from './call-key.ts'

/** Judges the complete calls of one turn before the client sees them. */
export interface CallCheck {
  /** The call for the client. `isShown`: the client has received some of it, so it must stay as it is. `value`: its parsed input, if known. */
  check(call: KnownCall, isShown: boolean, value?: unknown): KnownCall
}

/** A call as the model made it: what a service must see again. */
export function asMade({
  made,
  callId,
  name,
  input,
}: KnownCall & { made?: KnownCall | undefined }): KnownCall {
  return made ?? { callId, name, input }
}
