// Under which name a tool call is remembered. Its id will not do: some servers count their calls anew in every
// conversation, or in every turn (`read:0`), and what was thought for one caller must not reach another.

import { createHash } from 'node:crypto'

export interface KnownCall {
  callId: string
  name: string
  input: string
}

/** The same for a call as it was made and as a client sends it back, however that one writes JSON. */
export function callKey(caller: string, model: string, { callId, name, input }: KnownCall): string {
  const parts = JSON.stringify([caller, model, callId, name, canonical(input)])
  return createHash('sha256').update(parts).digest('base64url')
}

function canonical(input: string): string {
  try {
    return JSON.stringify(JSON.parse(input), (_key, value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    )
  } catch {
    return input
  }
}
