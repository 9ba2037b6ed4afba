// A server's own chunks and answers on their way to a Chat client: with the model as the client named it.

import { type Fields, isObject, parseJson } from '../../base/json.ts'
import { jsonString } from '../../base/json-string.ts'
import { isObjectText, membersOf, replaceMember } from '../../base/json-text.ts'
import { beginsWith } from '../../base/text-edges.ts'
import type { Framing } from '../../core/fast-path.ts'
import { type RepairKind, repairNotes } from '../../core/repairs.ts'

/** Replaces the model in chunks that begin alike, which is faster than to look for it in each. */
export class ModelName {
  readonly #model: string
  #before = ''
  #after = ''
  #framing: Framing | undefined
  #sent: Framing = { before: '', after: '' }

  constructor(model: string) {
    this.#model = jsonString(model)
  }

  /** The chunk as an SSE event. */
  event(chunk: string): string {
    // Line breaks in JSON are blanks. Not every client joins the lines of an event.
    const data = chunk.includes('\n') ? chunk.replaceAll('\n', ' ') : chunk
    if (this.#before === '' || !beginsWith(data, this.#before)) this.#learn(data)
    return `${this.#after}${data.slice(this.#before.length)}\n\n`
  }

  #learn(data: string): void {
    const member = isObjectText(data) ? membersOf(data).find(({ name }) => name === 'model') : undefined
    this.#before = member ? data.slice(0, member.end) : ''
    this.#after = member ? `data: ${data.slice(0, member.valueStart)}${this.#model}` : 'data: '
  }

  /** The same for the text around a delta. */
  around(received: Framing): Framing | undefined {
    if (received === this.#framing) return this.#sent
    const start = 'data: '.length
    if (!received.before.startsWith('data: ') || !received.before.startsWith(this.#before, start))
      return undefined
    if (this.#before === '') return undefined
    const rest = received.before.slice(start + this.#before.length)
    this.#framing = received
    this.#sent = { before: `${this.#after}${rest}`, after: received.after }
    return this.#sent
  }
}

interface ReadAnswer {
  /** For servers that leave them out. */
  id: string
  createdAt: number
  model: string
  text: string
  reasoning: string
  /** As JSON values of the dialect. */
  calls: readonly Fields[]
  finish: string
  /** JSON text. */
  usage: string
  note(text: string): void
}

/** The repairs of members. What else differs was noted when it was read, and estimated usage says itself that it is. */
const repairOfMember = new Map<string, RepairKind>([
  ['object', 'no-object'],
  ['id', 'no-answer-id'],
  ['created', 'no-created'],
  ['model', 'no-model'],
  ['index', 'no-choice-index'],
  ['role', 'no-role'],
  ['reasoning_content', 'reasoning-field'],
])

/** The server's answer, repaired where it differs from what was read; undefined if it cannot be told. */
export function forwardedAnswer(text: string, read: ReadAnswer): string | undefined {
  const answer = parseJson(text)
  if (!isObject(answer) || !Array.isArray(answer.choices)) return undefined
  const choice: unknown = answer.choices.find((entry) => isObject(entry) && (entry.index ?? 0) === 0)
  if (!isObject(choice) || !isObject(choice.message)) return undefined
  const { message } = choice
  if ((message.content ?? '') !== read.text || isObject(message.function_call)) return undefined
  const ofMessage = messagePatches(message, read)
  const ofChoice: Fields = {}
  if (choice.index !== 0) ofChoice.index = 0
  if (choice.finish_reason !== read.finish) ofChoice.finish_reason = read.finish
  const ofAnswer: Fields = {}
  if (answer.object !== 'chat.completion') ofAnswer.object = 'chat.completion'
  if (typeof answer.id !== 'string' || answer.id === '') ofAnswer.id = read.id
  if (!Number.isInteger(answer.created)) ofAnswer.created = read.createdAt
  if (typeof answer.model !== 'string') ofAnswer.model = read.model
  if (!isObject(answer.usage)) ofAnswer.usage = parseJson(read.usage)
  const patched = [ofMessage, ofChoice, ofAnswer].flatMap((patch) => Object.keys(patch))
  if (patched.length === 0) return replaceMember(text, ['model'], jsonString(read.model))
  for (const name of patched) {
    const kind = repairOfMember.get(name)
    if (kind) read.note(repairNotes[kind])
  }
  const repaired = { ...choice, ...ofChoice, message: { ...message, ...ofMessage } }
  const choices = answer.choices.map((entry: Fields) => (entry === choice ? repaired : entry))
  return JSON.stringify({ ...answer, ...ofAnswer, model: read.model, choices })
}

function messagePatches(message: Fields, { reasoning, calls }: ReadAnswer): Fields {
  const patches: Fields = {}
  if (message.role !== 'assistant') patches.role = 'assistant'
  if (reasoning !== '' && !message.reasoning_content) patches.reasoning_content = reasoning
  const given = Array.isArray(message.tool_calls) ? message.tool_calls : []
  if (given.length !== calls.length) patches.tool_calls = calls
  else if (!given.every((call, at) => isSameCall(call, calls[at])))
    patches.tool_calls = calls.map((call, at) => ({ ...(isObject(given[at]) ? given[at] : {}), ...call }))
  return patches
}

function isSameCall(given: unknown, read: Fields | undefined): boolean {
  if (!isObject(given) || !isObject(given.function) || !isObject(read?.function)) return false
  const { name, arguments: input } = given.function
  return (
    given.id === read.id &&
    given.type === read.type &&
    name === read.function.name &&
    input === read.function.arguments
  )
}
