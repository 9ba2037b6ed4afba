// The check of one turn's calls: the tool is one that was offered, and the arguments fit its schema. What is wrong is put right where
// that needs no guess; the rest is noted, and can be asked for again.

import { type Fields, isObject, parseJson } from '../../base/json.ts'
import { describeProblem } from '../../base/json-schema/check.ts'
import { schemaChecker } from '../../base/json-schema/schema-checkers.ts'
import type { CallCheck } from '../../core/call-check.ts'
import type { KnownCall } from '../../core/call-key.ts'
import type { Tool } from '../../core/request.ts'
import { fitArguments } from './fit-arguments.ts'
import { markId } from './marked-id.ts'
import { ToolFinder } from './tool-finder.ts'

/** From least to most: nothing is checked; problems are noted; calls are repaired; the model is also asked once more. */
export const checkModes = ['off', 'note', 'repair', 'retry'] as const
export type CheckMode = (typeof checkModes)[number]

export type CheckOutcome = 'fits' | 'repaired' | 'unfit' | 'unchecked'

/** A call that does not fit, and what is wrong with it. */
export interface UnfitCall {
  made: KnownCall
  /** With what could be put right. */
  shown: KnownCall
  /** Undefined: no such tool was offered. */
  tool: Tool | undefined
  problems: readonly string[]
}

interface TurnCallsOptions {
  mode: Exclude<CheckMode, 'off'>
  tools: readonly Tool[]
  /** Tools that only the dialect of the request knows. Undefined for one without a name, such as the tools of a whole server. */
  opaqueTools?: readonly (string | undefined)[]
  /** The id of a call that was corrected shows it, so that the original can be restored when it comes back. */
  marksIds: boolean
  turnId?: string | undefined
  note(text: string): void
  onChecked?(outcome: CheckOutcome): void
  /** The client gets `call` instead of `made`. */
  onRepaired?(call: KnownCall, made: KnownCall): void
}

export class TurnCalls implements CallCheck {
  readonly #options: TurnCallsOptions
  #tools: ToolFinder<Tool> | undefined
  /** Calls that the client has not seen yet, by the id that it would see. */
  readonly unfit = new Map<string, UnfitCall>()

  constructor(options: TurnCallsOptions) {
    this.#options = options
  }

  check(made: KnownCall, isShown: boolean, value: unknown = parseJson(made.input)): KnownCall {
    const { mode, opaqueTools = [] } = this.#options
    this.#tools ??= new ToolFinder(this.#options.tools)
    const mayChange = mode !== 'note' && !isShown
    const exact = this.#tools.get(made.name)
    if (!exact && opaqueTools.includes(made.name)) return this.#done('unchecked', made)
    const tool = exact ?? (mayChange ? this.#tools.find(made.name) : undefined)
    if (!tool)
      return opaqueTools.includes(undefined) ? this.#done('unchecked', made) : this.#onUnknown(made, isShown)
    if (!isObject(value) || (exact && tool.custom)) return this.#done('unchecked', made)
    const checker = schemaChecker(tool.schema)
    const { problems, isComplete } = checker.judge(value)
    if (problems.length === 0 && !isComplete)
      this.#options.note(`${tool.name}: its schema could be checked only in part`)
    if (exact && problems.length === 0)
      return this.#done(checker.isTrivial || !isComplete ? 'unchecked' : 'fits', made)
    if (!mayChange) {
      this.#noteUnfit(tool, value)
      return this.#done('unfit', made)
    }
    return this.#fit(made, tool, value)
  }

  #fit(made: KnownCall, tool: Tool, value: Fields): KnownCall {
    const { input, changes, text } = fitTo(tool, value, made.input)
    const isSame = tool.name === made.name && input === value
    if (isSame) return this.#onUnfit(made, made, tool, value)
    const { note, marksIds, turnId, onRepaired } = this.#options
    const call: KnownCall = {
      callId: marksIds ? markId(made.callId, turnId) : made.callId,
      name: tool.name,
      input: text,
    }
    if (tool.name !== made.name) note(`the tool ${quoted(made.name)} was read as ${quoted(tool.name)}`)
    for (const change of changes) note(`${tool.name}: ${change}`)
    onRepaired?.(call, made)
    if (tool.custom || schemaChecker(tool.schema).conforms(input)) return this.#done('repaired', call)
    return this.#onUnfit(call, made, tool, input)
  }

  #onUnknown(made: KnownCall, isShown: boolean): KnownCall {
    const note = `the model called ${quoted(made.name)}, which is none of the tools of the request`
    this.#options.note(note)
    if (!isShown) this.unfit.set(made.callId, { made, shown: made, tool: undefined, problems: [] })
    return this.#done('unfit', made)
  }

  #onUnfit(shown: KnownCall, made: KnownCall, tool: Tool, value: Fields): KnownCall {
    this.unfit.set(shown.callId, { made, shown, tool, problems: this.#noteUnfit(tool, value) })
    return this.#done('unfit', shown)
  }

  #noteUnfit(tool: Tool, value: Fields): string[] {
    const problems = schemaChecker(tool.schema).check(value).map(describeProblem)
    this.#options.note(
      `${tool.name}: the arguments do not fit its schema: ${problems[0] ?? 'for no stated reason'}`,
    )
    return problems
  }

  #done(outcome: CheckOutcome, call: KnownCall): KnownCall {
    this.#options.onChecked?.(outcome)
    return call
  }
}

/** Free text is taken from arguments of any shape (`customText`). */
const fitTo = (tool: Tool, value: Fields, text: string) =>
  tool.custom ? { input: value, changes: [], text } : fitArguments(value, schemaChecker(tool.schema), text)

const longestQuoted = 100
const quoted = (name: string) => JSON.stringify(name.slice(0, longestQuoted))
