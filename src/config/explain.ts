// Explains an invalid configuration: names the key, and the nearest known key.

import type { z } from 'zod'
import { nearest } from '../base/nearest.ts'
import { configJsonSchema } from './schema.ts'

/** One line per problem in a zod issue. */
export function explain(issue: z.core.$ZodIssue, input: unknown): string[] {
  const path = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') {
    const level = levelAt(issue.path, input)
    return issue.keys.map(
      (key) => `${path === '' ? '' : `${path}.`}${key}: unknown key${keyHint(key, level)}`,
    )
  }
  if (issue.code === 'invalid_union') {
    // The branch that matched furthest is the intended one.
    const meant = issue.errors.find((errors) =>
      errors.some((error) => error.path.length > 0 || error.code === 'unrecognized_keys'),
    )
    if (meant)
      return meant.flatMap((error) => explain({ ...error, path: [...issue.path, ...error.path] }, input))
  }
  if (issue.code === 'invalid_key')
    return [`${path}: ${issue.issues.map(({ message }) => message).join('; ')}`]
  const given = issue.path.reduce<unknown>(memberOf, input)
  return [`${path === '' ? '(top level)' : path}: ${inWords(issue)}${valueHint(issue, given)}`]
}

const memberOf = (value: unknown, name: PropertyKey) =>
  (value as Record<PropertyKey, unknown> | undefined | null)?.[name]

const didYouMean = (close: string | undefined) => (close === undefined ? '' : `; did you mean "${close}"?`)

/** Where a key that is not known here belongs. */
function keyHint(key: string, { schema, value, isTop }: SchemaLevel): string {
  const here = branchFor(schema, value)
  const otherKinds = kindsWith(key, schema)
  if (otherKinds.length > 0) {
    const named = otherKinds.map((kind) => `"${kind}"`).join(', ')
    const provider = memberOf(value, 'provider')
    if (provider !== undefined && (key === 'accounts' || key === 'pool'))
      return ` of provider "${provider}", which has one credential; make each account a backend of its own, and list them under one name in "models"`
    const own = provider === undefined ? `kind "${memberOf(value, 'kind')}"` : `provider "${provider}"`
    return ` of ${own}; it is a setting of kind ${named}`
  }
  const close = nearest(key, Object.keys(propertiesOf(here)))[0] ?? insideSection(key, here)
  if (close === undefined && !isTop && Object.hasOwn(propertiesOf(configJsonSchema() as JsonSchema), key))
    return '; it belongs to the top level of the file'
  return didYouMean(close)
}

/** Other kinds of backend that have this key. */
function kindsWith(key: string, schema: JsonSchema | undefined): string[] {
  const found = branchesOf(schema).flatMap((branch) => {
    const kind = kindOf(branch)
    return typeof kind === 'string' && Object.hasOwn(propertiesOf(branch), key) ? [kind] : []
  })
  return [...new Set(found)]
}

/** Services that speak OpenAI's protocol have no kind of their own. */
const openaiServices = new Set(
  [
    ...['azure', 'cerebras', 'chatgpt', 'deepinfra', 'deepseek', 'fireworks', 'gemini', 'github', 'google', 'gpt', 'grok'],
    ...['groq', 'huggingface', 'kimi', 'litellm', 'llama', 'llama.cpp', 'llamacpp', 'lm-studio', 'lmstudio', 'mistral'],
    ...['moonshot', 'nvidia', 'ollama', 'openrouter', 'sglang', 'together', 'vllm', 'xai', 'zai'],
  ], // biome-ignore format: a list to be read as one
)

/** The kind or the value that was probably meant. The value itself is not shown: it may be a secret in the wrong place. */
function valueHint(issue: z.core.$ZodIssue, given: unknown): string {
  if (typeof given !== 'string') return ''
  if (issue.code === 'invalid_value') return didYouMean(nearest(given, issue.values.map(String))[0])
  if (issue.code !== 'invalid_union' || issue.path.at(-1) !== 'kind') return ''
  const word = given.toLowerCase()
  if (openaiServices.has(word)) return `; ${word} speaks the protocol of kind "openai"`
  if (word.startsWith('claude')) return didYouMean('anthropic')
  return didYouMean(nearest(word, backendKinds())[0] ?? backendKinds().find((kind) => word.includes(kind)))
}

const kinds = new Map([
  ['record', 'an object'],
  ['object', 'an object'],
  ['array', 'a list'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
])

function inWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') {
    const wanted = kinds.get(issue.expected) ?? `a ${issue.expected}`
    return issue.message.endsWith('received undefined') ? `is required (${wanted})` : `must be ${wanted}`
  }
  if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid')) {
    return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`
  }
  if (issue.code === 'too_small' && issue.message.startsWith('Too small: expected number'))
    return `must be at least ${issue.minimum}`
  if (issue.code === 'too_big' && issue.message.startsWith('Too big: expected number'))
    return `must be at most ${issue.maximum}`
  return issue.message
}

type JsonSchema = { [key: string]: JsonSchema | JsonSchema[] | undefined } & { const?: unknown }

interface SchemaLevel {
  schema: JsonSchema | undefined
  value: unknown
  isTop: boolean
}

/** The schema and the value at `path`: walks the JSON Schema along with the value. */
function levelAt(path: readonly PropertyKey[], input: unknown): SchemaLevel {
  let schema = configJsonSchema() as JsonSchema | undefined
  let value = input
  for (const step of path) {
    const here = branchFor(schema, value)
    value = memberOf(value, step)
    schema = (propertiesOf(here)[String(step)] ?? here?.additionalProperties ?? here?.items) as
      | JsonSchema
      | undefined
  }
  return { schema, value, isTop: path.length === 0 }
}

const propertiesOf = (schema: JsonSchema | undefined): JsonSchema =>
  (schema?.properties as JsonSchema | undefined) ?? {}

/** `listen.port` for a `port` at the top level, `connect.proxy` for a `proxy` of a backend. */
function insideSection(key: string, schema: JsonSchema | undefined): string | undefined {
  const sections = Object.entries(propertiesOf(schema))
  const found = sections.find(([, section]) => Object.hasOwn(propertiesOf(section as JsonSchema), key))
  return found && `${found[0]}.${key}`
}

const kindOf = (branch: JsonSchema): unknown => (propertiesOf(branch).kind as JsonSchema | undefined)?.const

function backendKinds(): string[] {
  const { backends } = propertiesOf(configJsonSchema() as JsonSchema)
  const branches = branchesOf((backends as JsonSchema).additionalProperties as JsonSchema | undefined)
  return [...new Set(branches.map((branch) => String(kindOf(branch))))]
}

/**
 * The branch of a union that fits the value: for lists, the one with items; else the one of the same `kind` and `provider`, or the
 * first with keys.
 */
function branchFor(schema: JsonSchema | undefined, value: unknown): JsonSchema | undefined {
  const branches = branchesOf(schema)
  if (branches.length === 0) return schema
  if (Array.isArray(value)) return branches.find((branch) => branch.items)
  const [kind, provider] = [memberOf(value, 'kind'), memberOf(value, 'provider')]
  const providerOf = (branch: JsonSchema) => (propertiesOf(branch).provider as JsonSchema | undefined)?.const
  const ofKind = branches.filter((branch) => kind !== undefined && kindOf(branch) === kind)
  return (
    ofKind.find((branch) => provider !== undefined && providerOf(branch) === provider) ??
    ofKind[0] ??
    branches.find((branch) => branch.properties)
  )
}

/** A union may be inside another: the providers of one kind. */
function branchesOf(schema: JsonSchema | undefined): JsonSchema[] {
  const branches = (schema?.oneOf ?? schema?.anyOf) as JsonSchema[] | undefined
  return (branches ?? []).flatMap((branch) => (branch.oneOf || branch.anyOf ? branchesOf(branch) : [branch]))
}
