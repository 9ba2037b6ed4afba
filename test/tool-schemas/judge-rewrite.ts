// One schema of a tool in the subset of one service, judged by what the gateway does not use itself: the simulator's rules for what
// is sent, Ajv for the arguments.

import fc from 'fast-check'
import { targetOf } from '../../sim/openai/tool-schemas/visit.ts'
import { isRecord } from '../../sim/shape.ts'
import type { Rewriting } from '../../src/protocols/tool-schemas/rewrite.ts'
import { rewriteSchema } from '../../src/protocols/tool-schemas/rewrite.ts'
import type { SubsetName } from '../../src/protocols/tool-schemas/subset.ts'
import { subsets } from '../../src/protocols/tool-schemas/subsets.ts'
import { undoInput } from '../../src/protocols/tool-schemas/undo.ts'
import { ajvJudge } from './ajv-judge.ts'
import { modelArguments } from './model-arguments.ts'
import { serviceRules } from './service-rules.ts'
import { valuesOf } from './values-of.ts'
import { withoutKeywords } from './without-keywords.ts'

type Schema = Record<string, unknown>

/** as is; exact: other bytes, the same values; lowered: constraints are told or left out; not strict: as is, and not asked for. */
export type Outcome = 'as is' | 'exact' | 'lowered' | 'not strict'

export interface Judgement {
  outcome: Outcome
  reason?: string
  /** The service's refusal of what is sent. */
  refusal?: string
  /** Arguments of the sent schema that were translated back. */
  back: number
  /** Those that break only what is told in words, or left out. The check of the call finds them. */
  told: number
  /** Those that do not fit the client's schema otherwise. */
  misfits: string[]
  /** Arguments of the client's schema. */
  good: number
  /** Those that a model could not send, or that came back as something else. */
  lost: string[]
}

export type Rewrite = (schema: Schema, subset: SubsetName) => Rewriting

const rewriteFor: Rewrite = (schema, name) => rewriteSchema(schema, subsets[name])

/** `rewrite`: another one shows that this judge finds its mistakes. */
export function judgeRewrite(
  schema: Schema,
  name: SubsetName,
  runs: number,
  rewrite = rewriteFor,
): Judgement {
  const made = rewrite(schema, name)
  const none = { back: 0, told: 0, misfits: [], good: 0, lost: [] }
  if (made.kind === 'unfit' && subsets[name].goal === 'strict')
    return { outcome: 'not strict', reason: made.reason, ...none }
  const sent = made.kind === 'rewritten' ? made.schema : schema
  const refusal = serviceRules[name](sent, 'tool')
  return {
    outcome: outcomeOf(made, schema),
    ...(refusal === undefined ? {} : { refusal }),
    ...judgeBack(schema, sent, made, runs),
    ...judgeGood(schema, sent, made, runs),
  }
}

const constraints = new Set(
  'enum const pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems contains minContains maxContains minProperties maxProperties not if then else dependentRequired dependentSchemas dependencies patternProperties propertyNames unevaluatedProperties unevaluatedItems additionalProperties format'.split(
    ' ',
  ),
)

function outcomeOf(made: Rewriting, schema: Schema): Outcome {
  if (made.kind !== 'rewritten') return 'as is'
  const isLess = made.isLoose || made.leftOut.some((keyword) => constraints.has(keyword))
  const hasOneOf = (one: Schema) => JSON.stringify(one).includes('"oneOf":')
  return isLess || (hasOneOf(schema) && !hasOneOf(made.schema)) ? 'lowered' : 'exact'
}

const undone = (made: Rewriting, value: unknown): unknown => {
  const input = JSON.stringify(value)
  return JSON.parse(made.kind === 'rewritten' && made.undo ? undoInput(made.undo, input) : input)
}

/** Objects that fit, random ones and those of a model. */
function argumentsOf(schema: Schema, runs: number): unknown[] {
  const random = valuesOf(schema)
  const plausible = (['sparse', 'full', 'stated'] as const).map((manner) => modelArguments(schema, manner))
  const all = [...plausible, ...(random ? fc.sample(random, { numRuns: runs, seed: 7 }) : [])]
  const fits = ajvJudge(schema)
  // As they travel.
  return all
    .filter((value) => isRecord(value) && fits(value))
    .map((value) => JSON.parse(JSON.stringify(value)))
}

function judgeBack(schema: Schema, sent: Schema, made: Rewriting, runs: number) {
  const values = argumentsOf(sent, runs)
  const fits = ajvJudge(schema)
  const open = values.filter((value) => !fits(undone(made, value)))
  const told = made.kind === 'rewritten' ? made.leftOut : []
  const isLoose = made.kind === 'rewritten' && made.isLoose
  const fitsRest = isLoose ? () => true : ajvJudge(withoutKeywords(schema, new Set(told)))
  const misfits = open.filter((value) => !fitsRest(undone(made, value)))
  return {
    back: values.length,
    told: open.length - misfits.length,
    misfits: misfits.map((value) => JSON.stringify(value)),
  }
}

function judgeGood(schema: Schema, sent: Schema, made: Rewriting, runs: number) {
  const values = argumentsOf(schema, runs)
  const fits = ajvJudge(sent)
  const fitsBack = ajvJudge(schema)
  const isLost = (value: unknown) => {
    const written = asModelWrites(value, sent, sent)
    const back = undone(made, written)
    return !fits(written) || !fitsBack(back) || !isKept(value, back)
  }
  return { good: values.length, lost: values.filter(isLost).map((value) => JSON.stringify(value)) }
}

/** The same value under the sent schema: null for what is required there and absent here. */
function asModelWrites(value: unknown, schema: unknown, root: Schema): unknown {
  if (!isRecord(schema)) return value
  if (typeof schema.$ref === 'string') return asModelWrites(value, targetOf(schema.$ref, root), root)
  const union = [schema.anyOf, schema.oneOf].find(Array.isArray)
  if (union && !isRecord(schema.properties)) return inBranch(value, union, root)
  if (Array.isArray(value)) return value.map((one) => asModelWrites(one, schema.items, root))
  if (!isRecord(value) || !isRecord(schema.properties)) return value
  const properties = schema.properties
  const members = Object.entries(value).map(([name, one]) => [
    name,
    asModelWrites(one, properties[name], root),
  ])
  const missing = (Array.isArray(schema.required) ? schema.required : []).filter(
    (name) => !Object.hasOwn(value, String(name)) && Object.hasOwn(properties, String(name)),
  )
  return Object.fromEntries([...members, ...missing.map((name) => [name, null])])
}

function inBranch(value: unknown, branches: readonly unknown[], root: Schema): unknown {
  for (const branch of branches) {
    const written = asModelWrites(value, branch, root)
    if (ajvJudge(alone(branch, root))(written)) return written
  }
  return value
}

/** A part of the schema as a schema of its own, with all that it may refer to. */
function alone(part: unknown, root: Schema): unknown {
  if (!isRecord(part)) return part
  const { $defs, definitions = {}, ...whole } = root
  const all = { ...part, $defs: { ...(isRecord($defs) ? $defs : {}), whole }, definitions }
  return JSON.parse(JSON.stringify(all).replaceAll('"$ref":"#"', '"$ref":"#/$defs/whole"'))
}

/** Everything is there as it was; what was absent may have become null, where the schema takes that. */
function isKept(value: unknown, back: unknown): boolean {
  if (Array.isArray(value))
    return (
      Array.isArray(back) && value.length === back.length && value.every((one, at) => isKept(one, back[at]))
    )
  if (!isRecord(value)) return Object.is(value, back) || (value === 0 && back === 0)
  if (!isRecord(back)) return false
  const more = Object.keys(back).filter((name) => !Object.hasOwn(value, name))
  return (
    more.every((name) => back[name] === null) &&
    Object.entries(value).every(([name, one]) => Object.hasOwn(back, name) && isKept(one, back[name]))
  )
}
