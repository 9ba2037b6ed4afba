// Messages → contents. Neighbours of one role are one content, and all results of an answer are in the one that follows it: the service
// counts them.

import { parseExact } from '../../base/exact-json.ts'
import type { Fields } from '../../base/json.ts'
import type {
  AssistantPart,
  Message,
  ResultPart,
  ToolCallPart,
  ToolResult,
  UserPart,
} from '../../core/request.ts'
import { inlineSystem, inlineSystemNote } from '../requests/inline-system.ts'
import { filler, signatureOf } from './call-signature.ts'
import { mediaPart } from './media-out.ts'
import type { GeminiModel } from './models.ts'

export interface Content extends Fields {
  role: 'user' | 'model'
  parts: Fields[]
}

export interface ContentsOptions {
  model: GeminiModel
  /** Where the model's signatures come from. */
  source: string
  /** False for servers that refuse ids of calls. */
  hasCallIds: boolean
  /** The signature that this call came with, if it is known. */
  recall(call: ToolCallPart): string | undefined
  /** No signature but the filler is sent: the service refused one. */
  fillsAll?: boolean | undefined
  note(text: string): void
}

export const fillerNote =
  'the thought signature of an earlier tool call is not known; the service was told to go on without it'
const startNote = 'a user message was added at the start: the upstream needs one first'

export function toContents(
  messages: readonly Message[],
  options: ContentsOptions,
): { systemInstruction: Fields | undefined; contents: Content[] } {
  const first = messages.findIndex(({ role }) => role !== 'system')
  const system = textsOf(messages.slice(0, first))
  const contents = new ContentsWriter(options).write(messages.slice(first))
  return {
    systemInstruction: system.length === 0 ? undefined : { parts: system.map((text) => ({ text })) },
    contents,
  }
}

const textsOf = (messages: readonly Message[]) =>
  messages.flatMap((message) =>
    message.role === 'system'
      ? message.content.flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : []))
      : [],
  )

class ContentsWriter {
  readonly #options: ContentsOptions
  readonly #contents: Content[] = []
  /** The calls of the last answer, in order: their names are wanted with the results. */
  #calls: ToolCallPart[] = []

  constructor(options: ContentsOptions) {
    this.#options = options
  }

  write(messages: readonly Message[]): Content[] {
    for (const message of messages) this.#add(message)
    const contents = this.#contents
    if (contents[0]?.role !== 'user') {
      this.#options.note(startNote)
      contents.unshift({ role: 'user', parts: [{ text: 'Continue.' }] })
    }
    if (this.#options.model.needsSignatures && contents.filter(fillSignature).length > 0)
      this.#options.note(fillerNote)
    return contents
  }

  #add(message: Message): void {
    switch (message.role) {
      case 'system': {
        const texts = textsOf([message])
        if (texts.length === 0) return
        this.#options.note(inlineSystemNote)
        return this.#push('user', [{ text: inlineSystem(texts.join('\n\n')) }])
      }
      case 'user':
        return this.#push('user', message.content.flatMap(userPart))
      case 'assistant':
        return this.#pushAnswer(message.content)
      case 'tool':
        return this.#pushResults(message.results)
    }
  }

  #push(role: Content['role'], parts: readonly Fields[]): void {
    if (parts.length === 0) return
    const last = this.#contents.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else this.#contents.push({ role, parts: [...parts] })
  }

  #pushAnswer(content: readonly AssistantPart[]): void {
    const parts: Fields[] = []
    let carried: string | undefined
    this.#calls = content.filter((part) => part.type === 'tool-call')
    for (const part of content) {
      if (part.type === 'text') {
        if (part.text !== '') parts.push({ text: part.text })
      } else if (part.type === 'opaque') parts.push({ ...part.value })
      else if (part.type === 'reasoning') carried = signatureOf(part, this.#options.source) ?? carried
      else {
        parts.push(this.#call(part, carried))
        carried = undefined
      }
    }
    this.#push('model', parts)
  }

  #call(call: ToolCallPart, carried: string | undefined): Fields {
    const { hasCallIds, fillsAll, recall } = this.#options
    const signature = fillsAll ? undefined : (carried ?? recall(call))
    return {
      functionCall: {
        ...(hasCallIds ? { id: call.callId } : {}),
        name: call.name,
        args: parseExact(call.input),
      },
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    }
  }

  /** In the order of the calls: without ids, only the order tells which result is whose. */
  #pushResults(results: readonly ToolResult[]): void {
    const places = new Map(this.#calls.map(({ callId }, at) => [callId, at]))
    const placeOf = ({ callId }: ToolResult) => places.get(callId) ?? places.size
    const sorted = results.toSorted((one, other) => placeOf(one) - placeOf(other))
    this.#push(
      'user',
      sorted.map((result) => this.#result(result)),
    )
    if (this.#options.model.mixes) return
    const media = sorted.flatMap(({ content }) => content.flatMap(resultMedia))
    if (media.length === 0) return
    // Beside several results, older models count media as results.
    if (results.length === 1) this.#push('user', media)
    else this.#contents.push({ role: 'user', parts: media })
  }

  #result({ callId, content, isError }: ToolResult): Fields {
    const { model, hasCallIds } = this.#options
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
    const media = model.mixes ? content.flatMap(resultMedia) : []
    const name = this.#calls.find((call) => call.callId === callId)?.name ?? 'unknown'
    return {
      functionResponse: {
        ...(hasCallIds ? { id: callId } : {}),
        name,
        response: isError ? { error: text } : { output: text },
        ...(media.length > 0 ? { parts: media } : {}),
      },
    }
  }
}

function userPart(part: UserPart): Fields[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ text: part.text }]
  return part.type === 'opaque' ? [{ ...part.value }] : [mediaPart(part)]
}

function resultMedia(part: ResultPart): Fields[] {
  if (part.type === 'text') return []
  return part.type === 'opaque' ? [{ ...part.value }] : [mediaPart(part)]
}

/** The first call of an answer must have a signature; those beside it have none. True if the filler was put there. */
function fillSignature({ role, parts }: Content): boolean {
  if (role !== 'model') return false
  const call = parts.find((part) => part.functionCall !== undefined)
  if (!call || call.thoughtSignature !== undefined) return false
  call.thoughtSignature = filler
  return true
}
