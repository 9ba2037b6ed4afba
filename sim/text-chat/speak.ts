// Turns calls into text, as a model without native tools writes them.

import { type CallStep, type Script, ScriptError, type Step } from '../script.ts'
import { toCallText } from './formats.ts'
import { isManner, MANNERS, type Manner, ruleOf } from './manners.ts'
import type { Markup } from './markup.ts'

/** A manner for every answer, or for the first few with calls. */
export type MannerChoice = Manner | { readonly manner: Manner; readonly times: number }

/** About the size of a token. */
const DEFAULT_PIECE = 4

export interface Speech {
  readonly markup: Markup
  /** The manner of calls for which the script has none. */
  readonly manner: () => Manner
  /** Characters per chunk of an answer; absent: by the steps, and for calls about a token. */
  readonly pieceLength?: number | undefined
}

export function speak(steps: readonly Step[], { markup, manner, pieceLength }: Speech): Step[] {
  const out: Step[] = []
  let usual: Manner | undefined
  let ended: string | undefined
  let last: 'nothing' | 'text' | 'call' = 'nothing'
  const say = (text: string, kind: 'text' | 'call', pieces?: number) => {
    const needsBreak = last !== 'nothing' && (last === 'call' || kind === 'call') && !text.startsWith('\n')
    const said = needsBreak ? `\n${text}` : text
    const length = pieceLength ?? DEFAULT_PIECE
    const byLength = Math.max(1, Math.ceil(said.length / length))
    out.push({ say: said, pieces: pieceLength === undefined && pieces !== undefined ? pieces : byLength })
    last = kind
  }
  for (const group of groupCalls(steps)) {
    if (ended !== undefined && (Array.isArray(group) || 'say' in group)) continue
    if (Array.isArray(group)) {
      usual ??= group.some(({ as }) => as === undefined) ? manner() : undefined
      const { write, end } = ruleOf(toManner(group[0]?.as) ?? usual ?? 'asked')
      say(
        write(
          group.map(({ call }) => toCallText(call.name, call.arguments)),
          markup,
        ),
        'call',
      )
      ended = end
    } else if ('say' in group) say(group.say, 'text', group.pieces)
    else out.push(group)
  }
  const hasEnd = steps.some((step) => 'end' in step)
  return ended !== undefined && !hasEnd ? [...out, { end: ended }] : out
}

/** The next manner, until the choice is used up. */
export class MannerSource {
  #choice: MannerChoice
  #left: number

  constructor(choice: MannerChoice = 'asked') {
    this.#choice = choice
    this.#left = typeof choice === 'string' ? Number.POSITIVE_INFINITY : choice.times
  }

  next(): Manner {
    if (this.#left <= 0) return 'asked'
    this.#left--
    return typeof this.#choice === 'string' ? this.#choice : this.#choice.manner
  }
}

/** Throws a ScriptError for an unknown manner in the script. */
export function checkManners(script: Script | undefined): void {
  for (const step of script?.turns.flatMap(({ steps }) => steps) ?? []) {
    if ('call' in step) toManner(step.as)
  }
}

function toManner(name: string | undefined): Manner | undefined {
  if (name === undefined || isManner(name)) return name
  throw new ScriptError(`there is no manner "${name}"; there are ${Object.keys(MANNERS).join(', ')}`)
}

/** Groups adjacent calls of the same manner. */
function groupCalls(steps: readonly Step[]): (CallStep[] | Exclude<Step, CallStep>)[] {
  const groups: (CallStep[] | Exclude<Step, CallStep>)[] = []
  for (const step of steps) {
    const last = groups.at(-1)
    if (!('call' in step)) groups.push(step)
    else if (Array.isArray(last) && last[0]?.as === step.as) last.push(step)
    else groups.push([step])
  }
  return groups
}
