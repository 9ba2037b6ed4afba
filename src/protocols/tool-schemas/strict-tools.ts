// Which tools of a request a service is asked to hold its model to, and their schemas in its subset.

import { type Fields, isObject } from '../../base/json.ts'
import { membersOf } from './keywords.ts'
import { type Rewriting, rewriteSchema } from './rewrite.ts'
import { countParameters } from './sizes.ts'
import { subsets } from './subsets.ts'
import { type Undo, undoInput } from './undo.ts'

/** How a service takes `strict`. */
export type StrictForm = 'openai' | 'cerebras' | 'xgrammar' | 'anthropic'

export interface NamedSchema {
  name: string
  schema: Fields
}

export interface StrictTool extends NamedSchema {
  strict: boolean
}

export interface StrictTools {
  tools: readonly StrictTool[]
  /** The number of strict tools. */
  count: number
  /** The number of schemas that were rewritten. */
  rewritten: number
  undo: UndoList
}

/** What to undo in the arguments of calls, by the tool's name. */
type UndoList = ReadonlyMap<string, Undo>

export function undoCall(list: UndoList, name: string, input: string): string {
  const undo = list.get(name)
  return undo ? undoInput(undo, input) : input
}

export function strictNote({ tools, count, rewritten }: StrictTools): string {
  const which = count === tools.length ? 'all tools' : `${count} of ${tools.length} tools`
  const how = rewritten === 0 ? '' : `, ${rewritten} of them with a rewritten schema`
  return `strict was asked for ${which}${how}: the service holds the model to their schemas`
}

export const strictRefusedNote = 'strict was not asked for: the service has refused it for these tools'

interface Candidate {
  tool: NamedSchema
  made: Rewriting
}

/** Undefined if no tool can be strict. */
export function toStrictTools(tools: readonly NamedSchema[], form: StrictForm): StrictTools | undefined {
  const candidates = tools.map((tool) => ({ tool, made: rewriteSchema(tool.schema, subsets[form]) }))
  const chosen = choose[form](candidates)
  if (chosen.size === 0) return undefined
  const undo = new Map<string, Undo>()
  let rewritten = 0
  const strict = candidates.map((candidate): StrictTool => {
    const { tool, made } = candidate
    const isStrict = chosen.has(candidate)
    if (!isStrict || made.kind !== 'rewritten') return { ...tool, strict: isStrict }
    rewritten++
    if (made.undo) undo.set(tool.name, made.undo)
    return { ...tool, schema: made.schema, strict: true }
  })
  return { tools: strict, count: chosen.size, rewritten, undo }
}

const fitting = (candidates: readonly Candidate[]) => candidates.filter(({ made }) => made.kind !== 'unfit')

const choose: Record<StrictForm, (candidates: readonly Candidate[]) => Set<Candidate>> = {
  openai: (candidates) => new Set(fitting(candidates)),
  // The same value on all tools.
  cerebras: (candidates) => {
    const found = fitting(candidates)
    return new Set(found.length === candidates.length ? found : [])
  },
  xgrammar: (candidates) => withOneMeaning(fitting(candidates).filter(hasParameters)),
  anthropic: (candidates) => withinBudgets(fitting(candidates)),
}

/** Held to a schema without parameters, Qwen models on vLLM repeat one token up to the output limit. */
const hasParameters = ({ tool }: Candidate) =>
  membersOf(tool.schema.properties).length > 0 ||
  ['anyOf', 'oneOf', 'allOf', '$ref'].some((one) => one in tool.schema)

/** SGLang refuses two tools with different definitions of one name. */
function withOneMeaning(candidates: readonly Candidate[]): Set<Candidate> {
  const known = new Map<string, string>()
  const kept = candidates.filter(({ tool, made }) => {
    const { $defs, definitions } = made.kind === 'rewritten' ? made.schema : tool.schema
    const own = [$defs, definitions].flatMap((map) => (isObject(map) ? Object.entries(map) : []))
    const texts = own.map(([name, schema]) => [name, JSON.stringify(schema)] as const)
    if (texts.some(([name, text]) => (known.get(name) ?? text) !== text)) return false
    for (const [name, text] of texts) known.set(name, text)
    return true
  })
  return new Set(kept)
}

/** Anthropic's limits per request. */
const most = { tools: 20, optional: 24, unions: 16 }

/** The tools with the fewest optional and union parameters first, as many as the limits allow. */
function withinBudgets(candidates: readonly Candidate[]): Set<Candidate> {
  const counted = candidates.map((candidate) => {
    const { tool, made } = candidate
    const count = countParameters(made.kind === 'rewritten' ? made.schema : tool.schema)
    return { candidate, ...count }
  })
  counted.sort((one, other) => one.optional + one.unions - other.optional - other.unions)
  const chosen = new Set<Candidate>()
  let optional = 0
  let unions = 0
  for (const one of counted) {
    if (chosen.size === most.tools) break
    if (optional + one.optional > most.optional || unions + one.unions > most.unions) continue
    chosen.add(one.candidate)
    optional += one.optional
    unions += one.unions
  }
  return chosen
}
