// The request that asks once more: the model's own words and calls, an error in place of the result, and the same tools.

import type { AskedUpstream } from '../scripted-upstream.ts'
import type { EmittedCall, Kind } from './kind.ts'
import { type Dialect, type Spoken, spokenBy } from './renderings.ts'
import { badId } from './script.ts'
import { asEmitted } from './verdict.ts'

// biome-ignore lint/suspicious/noExplicitAny: requests are looked into
type Json = any

interface Replayed {
  calls: { id: string; name: string; input: string }[]
  results: { id: string; text: string; isError?: boolean }[]
}

const replayers: Record<Exclude<Spoken, 'text'>, (body: Json) => Replayed> = {
  chat: ({ messages }) => ({
    calls: messages.flatMap(({ tool_calls: calls = [] }: Json) =>
      calls.map((call: Json) => ({ id: call.id, name: call.function.name, input: call.function.arguments })),
    ),
    results: messages.flatMap(({ role, tool_call_id: id, content }: Json) =>
      role === 'tool' ? [{ id, text: textOf(content) }] : [],
    ),
  }),
  messages: ({ messages }) => {
    const blocks: Json[] = messages.flatMap(({ content }: Json) => (Array.isArray(content) ? content : []))
    return {
      calls: blocks
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => ({ id, name, input: JSON.stringify(input) })),
      results: blocks
        .filter(({ type }) => type === 'tool_result')
        .map(({ tool_use_id: id, content, is_error: isError = false }) => ({
          id,
          text: textOf(content),
          isError,
        })),
    }
  },
  responses: ({ input: items }) => ({
    calls: items
      .filter(({ type }: Json) => type === 'function_call')
      .map(({ call_id: id, name, arguments: input }: Json) => ({ id, name, input })),
    results: items
      .filter(({ type }: Json) => type === 'function_call_output')
      .map(({ call_id: id, output }: Json) => ({ id, text: textOf(output) })),
  }),
  gemini: ({ contents }) => {
    const parts: Json[] = contents.flatMap((content: Json) => content.parts)
    return {
      calls: parts.flatMap(({ functionCall: call }) =>
        call ? [{ id: call.id, name: call.name, input: JSON.stringify(call.args) }] : [],
      ),
      results: parts.flatMap(({ functionResponse: result }) => {
        if (!result) return []
        const { output, error } = result.response
        return [{ id: result.id, text: error ?? output, isError: error !== undefined }]
      }),
    }
  },
}

/** The calls and results of a request. */
export const replayed = (dialect: Dialect, body: Json): Replayed =>
  replayers[spokenBy(dialect) as Exclude<Spoken, 'text'>](body)

/** A service refuses a history in which names have other characters. */
const isName = (sent: string, name: string) => sent === name || (/[^\w-]/.test(name) && !/[^\w-]/.test(sent))

/** Without the marks of prompt caching, which do not change what the model sees. */
const plain = (body: string): Json =>
  JSON.parse(body, (key, value) => (key === 'cache_control' ? undefined : value))

const solid = (text: string) => text.replace(/\s/g, '')
const textOf = (content: Json): string => (typeof content === 'string' ? content : JSON.stringify(content))
const same = (one: string, other: string) =>
  JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other))

const sameFields = [
  'model', 'tools', 'max_tokens', 'max_completion_tokens', 'system', 'instructions', 'systemInstruction', 'generationConfig',
] // biome-ignore format: a list to be read as one

/** Every way in which the second request is not a question about this call. */
export function problemsOfSecond(
  dialect: Dialect,
  [first, second]: readonly AskedUpstream[],
  kind: Kind,
): string[] {
  const bad = asEmitted(kind)
  if (!first || !second) return ['there was no second request']
  const [one, other]: [Json, Json] = [plain(first.body), plain(second.body)]
  const problems: string[] = []
  for (const field of sameFields)
    if (JSON.stringify(one[field]) !== JSON.stringify(other[field])) problems.push(`another ${field}`)
  return [
    ...problems,
    ...(dialect === 'text'
      ? problemsInText(one, other, bad)
      : problemsOfResults(replayed(dialect, other), bad)),
  ]
}

function problemsInText(
  { messages: before }: Json,
  { messages: after }: Json,
  bad: readonly EmittedCall[],
): string[] {
  const added = after.slice(before.length)
  if (JSON.stringify(after.slice(0, before.length)) !== JSON.stringify(before))
    return ['another conversation before it']
  const [said, reply] = added
  if (added.length !== 2 || said.role !== 'assistant' || reply.role !== 'user')
    return [`added: ${JSON.stringify(added)}`]
  return bad.some((call) => solid(textOf(said.content)).includes(solid(call.arguments)))
    ? []
    : ['the model does not see what it said']
}

function problemsOfResults({ calls, results }: Replayed, bad: readonly EmittedCall[]): string[] {
  const problems: string[] = []
  const found = calls.find(({ id }) => id === badId)
  if (!found) return ['the model does not see its call']
  const isItsCall = bad.some(
    ({ name, arguments: input }) => isName(found.name, name) && same(found.input, input),
  )
  if (!isItsCall) problems.push(`it sees another call: ${JSON.stringify(found)}`)
  const result = results.find(({ id }) => id === badId)
  if (!result || result.text === '') problems.push('the call has no result')
  if (result?.isError === false) problems.push('the result is no error')
  for (const { id } of calls) {
    const count = results.filter((one) => one.id === id).length
    if (count !== 1) problems.push(`call ${id} has ${count} results`)
  }
  for (const { id } of results)
    if (!calls.some((call) => call.id === id)) problems.push(`a result without its call: ${id}`)
  return problems
}
