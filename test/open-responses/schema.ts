// The published schema of Open Responses, where CASES_DIR has it. Two things of OpenAI's API are not in it and are taken out before
// a value is judged: custom tools with their calls, and the schema of a structured answer, for which it allows only null.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeProblem, SchemaChecker } from '../../src/base/json-schema/check.ts'

// biome-ignore lint/suspicious/noExplicitAny: values of any shape are judged
type Json = any

const file = join(process.env.CASES_DIR ?? '/nonexistent', 'open-responses.json')
const document: Json = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined

export const hasSchema = document !== undefined

const checkers = new Map<string, SchemaChecker>()

function problemsBy(name: string, value: Json): string[] {
  if (!document) return []
  const checker =
    checkers.get(name) ??
    new SchemaChecker({ $ref: `#/components/schemas/${name}`, components: document.components })
  checkers.set(name, checker)
  return checker.check(value).map((problem) => `${name}: ${describeProblem(problem)}`)
}

const eventSchemas = new Map<string, string>(
  Object.entries(document?.components.schemas ?? {}).flatMap(([name, schema]: [string, Json]) =>
    name.endsWith('StreamingEvent') ? [[schema.properties.type.enum[0] as string, name]] : [],
  ),
)

/** The schema's names for OpenAI's events. */
const otherNames: Readonly<Record<string, string>> = {
  'response.reasoning_text.delta': 'response.reasoning.delta',
  'response.reasoning_text.done': 'response.reasoning.done',
}

const isCustom = (entry: Json) => String(entry?.type).startsWith('custom') || entry?.type === 'namespace'

function judged(response: Json): Json {
  const { format } = response.text ?? {}
  const value = {
    ...response,
    output: response.output?.filter((item: Json) => !isCustom(item)),
    tools: response.tools?.filter((tool: Json) => !isCustom(tool)),
    tool_choice: isCustom(response.tool_choice) ? 'auto' : response.tool_choice,
    text: format?.schema ? { ...response.text, format: { ...format, schema: null } } : response.text,
  }
  return JSON.parse(JSON.stringify(value))
}

export const schemaProblemsOfResponse = (response: Json) => problemsBy('ResponseResource', judged(response))
export const schemaProblemsOfCompaction = (compaction: Json) => problemsBy('CompactResource', compaction)
export const schemaProblemsOfSocketError = (frame: Json) => problemsBy('WebSocketErrorEvent', frame)

export function schemaProblemsOfEvent(event: Json): string[] {
  if (!document || isCustom(event.item) || String(event.type).includes('custom_tool_call')) return []
  const type = otherNames[event.type] ?? event.type
  const name = eventSchemas.get(type)
  if (!name) return [`${event.type} is not an event of the schema`]
  return problemsBy(
    name,
    event.response ? { ...event, type, response: judged(event.response) } : { ...event, type },
  )
}
