// The contents of a request → messages. A user's content may hold tool results and text: here they become two messages, results
// first. Neighbours of the role `model` are one answer.

import { writeExact } from '../../base/exact-json.ts'
import { isObject } from '../../base/json.ts'
import type {
  AssistantPart,
  Message,
  OpaquePart,
  ReasoningPart,
  ResultPart,
  TextPart,
  ToolResult,
  UserPart,
} from '../../core/request.ts'
import { array, type Fields, invalid, object, optional, string } from '../requests/decode.ts'
import { OpenCalls } from '../requests/open-calls.ts'
import { dialect } from './dialect.ts'
import { member } from './member.ts'
import { readMedia, readSound } from './parts-in.ts'
import { fromThoughtSignature } from './thought-signature.ts'

export class ContentsReader {
  readonly #model: string
  readonly #messages: Message[] = []
  readonly #open = new OpenCalls()
  /** Calls without an id so far. They are numbered: the same history gets the same ids. */
  #unnamed = 0

  /** `model`: as the client named it. */
  constructor(model: string) {
    this.#model = model
  }

  read(value: unknown): Message[] {
    const contents = array(value, 'contents')
    if (contents.length === 0) throw invalid('contents', 'must contain at least one content')
    for (const [at, content] of contents.entries()) this.#readContent(content, `contents[${at}]`)
    return this.#messages
  }

  #readContent(value: unknown, path: string): void {
    const content = object(value, path)
    const role = optional(content.role, `${path}.role`, string) ?? 'user'
    const parts = readParts(content, path)
    if (role === 'model') this.#readModel(parts, path)
    // The role of results in the first versions of the API.
    else if (role === 'user' || role === 'function' || role === '') this.#readUser(parts, path)
    else throw invalid(`${path}.role`, `${JSON.stringify(role)} is not a role; use user or model`)
  }

  #readModel(parts: readonly Fields[], path: string): void {
    const last = this.#messages.at(-1)
    const content: AssistantPart[] = last?.role === 'assistant' ? last.content : []
    const leading: AssistantPart[] = []
    const said: AssistantPart[] = []
    if (last?.role !== 'assistant') this.#open.clear()
    for (const [at, part] of parts.entries()) {
      const place = `${path}.parts[${at}]`
      // Thoughts are for people: what must come back is in a signature. A call is a call, however it is marked.
      if (part.thought === true && member(part, 'functionCall') === undefined) continue
      this.#readThoughts(part, place, { leading, said })
      for (const read of this.#readModelPart(part, place)) pushPart(said, read)
    }
    for (const read of [...leading, ...said]) pushPart(content, read)
    if (last?.role !== 'assistant') this.#messages.push({ role: 'assistant', content })
  }

  #readThoughts(
    part: Fields,
    path: string,
    { leading, said }: { leading: AssistantPart[]; said: AssistantPart[] },
  ): void {
    const signature = optional(member(part, 'thoughtSignature'), `${path}.thoughtSignature`, string)
    if (!signature) return
    for (const { leads, ...thought } of fromThoughtSignature(this.#model, signature)) {
      const reasoning: ReasoningPart = thought
      if (leads) leading.push(reasoning)
      else said.push(reasoning)
    }
  }

  #readModelPart(part: Fields, path: string): AssistantPart[] {
    const call = optional(member(part, 'functionCall'), `${path}.functionCall`, object)
    if (call) return [this.#readCall(call, `${path}.functionCall`)]
    if (member(part, 'functionResponse') !== undefined)
      throw invalid(`${path}.functionResponse`, 'is not allowed in a content of the role model')
    return readText(part, path) ?? readOther(part)
  }

  #readCall(call: Fields, path: string): AssistantPart {
    const name = string(call.name, `${path}.name`)
    if (name === '') throw invalid(`${path}.name`, 'must not be empty')
    const input = optional(call.args, `${path}.args`, object) ?? {}
    const callId = optional(call.id, `${path}.id`, string) || `call_${++this.#unnamed}`
    this.#open.add(callId, name)
    return { type: 'tool-call', callId, name, input: writeExact(input) }
  }

  #readUser(parts: readonly Fields[], path: string): void {
    const results: ToolResult[] = []
    const content: UserPart[] = []
    for (const [at, part] of parts.entries()) {
      const place = `${path}.parts[${at}]`
      const response = optional(member(part, 'functionResponse'), `${place}.functionResponse`, object)
      if (response) results.push(this.#readResult(response, `${place}.functionResponse`))
      else readUserPart(part, place, content, results)
    }
    if (results.length > 0) this.#messages.push({ role: 'tool', results })
    if (content.length > 0 || results.length === 0) this.#messages.push({ role: 'user', content })
  }

  #readResult(response: Fields, path: string): ToolResult {
    const name = string(response.name, `${path}.name`)
    const id = optional(response.id, `${path}.id`, string)
    const media = optional(response.parts, `${path}.parts`, array) ?? []
    const parts = media.flatMap((value, at): ResultPart[] => {
      const place = `${path}.parts[${at}]`
      const part = object(value, place)
      return [readMedia(part, place) ?? readText(part, place) ?? readOther(part)].flat()
    })
    const said = optional(response.response, `${path}.response`, object) ?? {}
    const { text, isError } = resultText(withoutName(said, name))
    const words: TextPart[] = text === '' ? [] : [{ type: 'text', text }]
    return {
      callId: this.#open.answer(id, name) ?? (id || name),
      content: [...words, ...parts],
      ...(isError ? { isError } : {}),
    }
  }
}

/** The chunks of a stream come back as parts of their own: neighbours are one text again. */
function pushPart(content: AssistantPart[], part: AssistantPart): void {
  const last = content.at(-1)
  if (part.type === 'text' && last?.type === 'text')
    content[content.length - 1] = { type: 'text', text: last.text + part.text }
  else content.push(part)
}

/** `parts` may be a single part, as in some examples of the API. */
export function readParts(content: Fields, path: string): Fields[] {
  const { parts } = content
  if (isObject(parts)) return [parts]
  return (optional(parts, `${path}.parts`, array) ?? []).map((part, at) =>
    object(part, `${path}.parts[${at}]`),
  )
}

function readUserPart(part: Fields, path: string, content: UserPart[], results: readonly ToolResult[]): void {
  if (member(part, 'functionCall') !== undefined)
    throw invalid(`${path}.functionCall`, 'is not allowed in a content of the role user')
  // Gemini CLI puts the media of a result after it.
  const result = content.length === 0 ? results.at(-1) : undefined
  const media = result ? readMedia(part, path) : (readSound(part, path) ?? readMedia(part, path))
  if (media) {
    if (result && media.type !== 'audio') result.content.push(media)
    else content.push(media)
  } else content.push(...(readText(part, path) ?? readOther(part)))
}

/** Undefined if the part has no text. Empty texts are left out: a signature may stand alone. */
export function readText(part: Fields, path: string): TextPart[] | undefined {
  if (part.text === undefined) return undefined
  const text = string(part.text, `${path}.text`)
  return text === '' ? [] : [{ type: 'text', text }]
}

const flags = new Set(['thought', 'thoughtSignature', 'thought_signature', 'videoMetadata', 'video_metadata', 'mediaResolution', 'media_resolution', 'partMetadata', 'part_metadata']) // biome-ignore format: a list to be read as one

/** A part that only this dialect knows. */
function readOther(part: Fields): OpaquePart[] {
  const kind = Object.keys(part).find((name) => !flags.has(name))
  if (kind === undefined) return []
  const words = codeText(part)
  return [{ type: 'opaque', dialect, value: part, ...(words === undefined ? {} : { text: words }) }]
}

/** Code that the service has run, and what it wrote. */
function codeText(part: Fields): string | undefined {
  const code = member(part, 'executableCode')
  if (isObject(code) && typeof code.code === 'string') return `\`\`\`\n${code.code}\n\`\`\``
  const result = member(part, 'codeExecutionResult')
  return isObject(result) && typeof result.output === 'string' ? result.output : undefined
}

/** The AI SDK wraps the output: `{name, content}`, with the name of the function. */
const withoutName = (response: Fields, name: string): Fields =>
  response.name === name && response.content !== undefined && Object.keys(response).length === 2
    ? { output: response.content }
    : response

/** `output` and `error` are reserved; any other object is the output itself. */
function resultText(response: Fields): { text: string; isError: boolean } {
  const names = Object.keys(response)
  const [only = ''] = names
  if (names.length === 0) return { text: '', isError: false }
  const isReserved = names.length === 1 && (only === 'output' || only === 'error')
  const value = isReserved ? response[only] : response
  const text = typeof value === 'string' ? value : writeExact(value)
  return {
    text,
    isError: isReserved ? only === 'error' : response.error !== undefined && response.error !== null,
  }
}
