// The rows of an alias: which of its models a request takes. `"NAME": "BACKEND/MODEL"` and a list of names are one row for all requests.

import { z } from 'zod'
import { readComparison } from '../base/comparison.ts'
import { nearest } from '../base/nearest.ts'
import { clientNames } from '../doors/clients.ts'
import { name } from './values.ts'

const models = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)])

const whenSchema = z.strictObject({
  inputTokens: z
    .string()
    .refine(
      (text) => readComparison(text) !== undefined,
      'must be a comparison with a whole number: ">180000", ">=", "<" or "<="',
    )
    .optional()
    .describe('The length of the request in tokens, estimated: a comparison, such as ">180000".'),
  images: z.boolean().optional().describe('Whether the request has images.'),
  background: z
    .boolean()
    .optional()
    .describe('Whether it is a background task of Claude Code: a title, a summary.'),
  thinking: z.boolean().optional().describe('Whether the request asks the model to think.'),
  client: name.optional().describe('The client, by its detected name.'),
  key: name.optional().describe('The name of the key that was sent.'),
})

const rowSchema = z.strictObject({
  when: whenSchema
    .optional()
    .describe('Conditions that must all hold. Absent: the row is for all other requests.'),
  use: models.describe('BACKEND/MODEL, or a list that is tried in order.'),
})

export const aliasSchema = z.union([
  z.string().min(1),
  z.array(z.union([z.string().min(1), rowSchema])).min(1),
])

export type AliasSetting = z.infer<typeof aliasSchema>
type AliasWhen = z.infer<typeof whenSchema>

export interface AliasRow {
  when?: AliasWhen | undefined
  use: string[]
}

/** Names that follow each other are one row. */
export function rowsOfAlias(setting: AliasSetting): AliasRow[] {
  const rows: AliasRow[] = []
  let names: string[] | undefined
  for (const entry of [setting].flat()) {
    if (typeof entry !== 'string') {
      rows.push({ when: entry.when, use: [entry.use].flat() })
      names = undefined
    } else if (names) names.push(entry)
    else {
      names = [entry]
      rows.push({ use: names })
    }
  }
  return rows
}

/** All its models, those for most requests first. */
export const modelsOfAlias = (setting: AliasSetting): string[] => {
  const rows = rowsOfAlias(setting)
  const rest = rows.filter(({ when }) => when === undefined)
  return [...new Set([...rest, ...rows].flatMap(({ use }) => use))]
}

/** For people: `if inputTokens >180000: big/model; else box/model, else box/other`. */
export const aliasWords = (setting: AliasSetting): string => {
  const rows = rowsOfAlias(setting)
  return rows
    .map(({ when, use }) => {
      const words = use.join(', else ')
      if (when) return `if ${whenWords(when)}: ${words}`
      return rows.length > 1 ? `otherwise ${words}` : words
    })
    .join('; ')
}

export const whenWords = (when: AliasWhen): string =>
  Object.entries(when)
    .map(([condition, wanted]) => `${condition} ${wanted}`)
    .join(', ')

interface Keyed {
  models: Record<string, AliasSetting>
  auth?: 'none' | { keys: { name: string }[] } | undefined
}

/** What would never be reached, and what would never fit. */
export const routeProblems = (config: Keyed): string[] =>
  Object.entries(config.models).flatMap(([alias, setting]) => {
    const rows = rowsOfAlias(setting)
    const first = rows.findIndex(({ when }) => when === undefined)
    return [
      ...orderProblems(alias, rows.length, first),
      ...rows.flatMap(({ when }) => (when ? whenProblems(`models.${alias}`, when, config) : [])),
    ]
  })

function orderProblems(alias: string, count: number, rest: number): string[] {
  if (rest < 0)
    return [`models.${alias}: needs a last row without "when", for all other requests: "BACKEND/MODEL"`]
  if (rest === count - 1) return []
  return [
    `models.${alias}: rows after one without "when" are never used; put those with "when" first, and all models for other requests into one list at the end`,
  ]
}

function whenProblems(path: string, when: AliasWhen, { auth }: Keyed): string[] {
  const { client, key } = when
  const problems: string[] = []
  if (Object.keys(when).length === 0)
    problems.push(`${path}: "when" needs a condition; a row for all other requests has no "when"`)
  if (client !== undefined && !clientNames.includes(client))
    problems.push(`${path}: "client": "${client}" is not a known client${hint(client, clientNames)}`)
  const names = typeof auth === 'object' ? auth.keys.map((one) => one.name) : []
  if (key !== undefined && !names.includes(key))
    problems.push(`${path}: "key": "${key}" is not the name of a key in "auth.keys"${hint(key, names)}`)
  return problems
}

function hint(word: string, known: readonly string[]): string {
  const [close] = nearest(word, known)
  if (close !== undefined) return `; did you mean "${close}"?`
  return known.length > 0 ? ` (${known.join(', ')})` : ''
}
