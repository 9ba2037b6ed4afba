// The effort of a request as thinkingConfig: a level, or for older models a budget. Thoughts are asked for unless the client wants no
// thinking: they cost the same unseen, and each door shows what its client wants.

import type { Fields } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'
import { nearestEffort } from '../requests/nearest-effort.ts'
import type { GeminiModel, ThinkingControl } from './models.ts'

export function toThinkingConfig(
  request: TurnRequest,
  { thinking }: GeminiModel,
  note: (text: string) => void,
): Fields | undefined {
  const asked = request.reasoning?.effort
  if (thinking === undefined) {
    if (asked !== undefined && asked !== 'none')
      note(`reasoning effort "${asked}" was left out: the upstream has no setting for it`)
    return undefined
  }
  if (asked === undefined) return { includeThoughts: true }
  return 'levels' in thinking ? toLevel(asked, thinking.levels, note) : toBudget(asked, thinking)
}

function toLevel(asked: string, levels: readonly string[], note: (text: string) => void): Fields {
  // These models cannot be kept from thinking.
  const thinkingLevel = nearestEffort(asked, levels) ?? levels[0]
  if (thinkingLevel !== asked)
    note(`reasoning effort "${asked}" was sent as "${thinkingLevel}", the nearest that this model takes`)
  return { ...shown(asked), thinkingLevel }
}

const shown = (asked: string): Fields => (asked === 'none' ? {} : { includeThoughts: true })

/** The door reads budgets back as the same efforts. */
const budgets: Readonly<Record<string, number>> = { minimal: 512, low: 2_048, medium: 8_192, high: 24_576 }

type Budget = Extract<ThinkingControl, { least: number }>

function toBudget(asked: string, { least, most, isOptional }: Budget): Fields {
  if (asked === 'none' && isOptional) return { thinkingBudget: 0 }
  const budget = asked === 'none' ? least : (budgets[asked] ?? most)
  return { ...shown(asked), thinkingBudget: Math.min(Math.max(budget, least), most) }
}
