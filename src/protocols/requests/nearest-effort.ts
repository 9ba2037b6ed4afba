// The nearest reasoning effort that a model takes.

import type { TurnRequest } from '../../core/request.ts'

/** In ascending order. `default` is Groq's value for normal thinking. */
const ladder = ['minimal', 'low', 'default', 'medium', 'high', 'xhigh', 'ultra', 'max']

/**
 * The value to send: the requested one if listed, else the next lower one, else the lowest. `none` switches reasoning off, so no
 * other effort is lowered to it. Undefined: send nothing. An unknown value is sent unchanged.
 */
export function nearestEffort(asked: string, listed: readonly string[] | undefined): string | undefined {
  if (listed === undefined || listed.includes(asked)) return asked
  if (listed.length === 0 || asked === 'none') return undefined
  const place = ladder.indexOf(asked)
  if (place < 0) return asked
  const known = ladder.filter((effort) => listed.includes(effort))
  return known.findLast((effort) => ladder.indexOf(effort) <= place) ?? known[0]
}

interface EffortOptions {
  traits: { readonly efforts?: readonly string[] | undefined }
  note(text: string): void
}

/** The effort that is sent; undefined if none is. Every change is a note. */
export function fittingEffort(
  asked: string,
  { origin }: TurnRequest,
  { traits, note }: EffortOptions,
): string | undefined {
  // `thinking: disabled` of an Anthropic client is a switch, not an effort that the client named.
  const isSwitch = asked === 'none' && traits.efforts === undefined && origin.dialect === 'anthropic-messages'
  const effort = isSwitch ? undefined : nearestEffort(asked, traits.efforts)
  if (effort === undefined)
    note(`reasoning effort "${asked}" was left out: the upstream has no setting for it`)
  else if (effort !== asked)
    note(`reasoning effort "${asked}" was sent as "${effort}", the nearest that this model takes`)
  return effort
}
