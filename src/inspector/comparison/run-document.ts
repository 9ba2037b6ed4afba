// A Cursor run as a document: the messages, tools and settings that the gateway sent in this turn, and the answer that it received.

import { type Fields, isObject } from '../../base/json.ts'
import type { RunDecoder } from '../show-frames.ts'
import { Pieces } from './pieces.ts'
import type { Exchange } from './traffic.ts'

interface RunDocument {
  request: Fields
  answer: Fields
  /** The run began in an earlier turn. */
  continues: boolean
}

export function runDocument({ messages }: Exchange, decoder: RunDecoder): RunDocument {
  const reading = new RunReading()
  for (const { direction, base64 } of messages) {
    const { value } = decoder.decode(direction, Buffer.from(base64, 'base64'))
    if (!isObject(value)) continue
    if (direction === 'sent') reading.sent(value)
    else reading.received(value)
  }
  return reading.document
}

class RunReading {
  readonly #request: Fields = {}
  readonly #messages: unknown[] = []
  readonly #tools = new Map<string, unknown>()
  readonly #output: unknown[] = []
  #text: { kind: 'text' | 'thinking'; pieces: Pieces } | undefined
  /** Calls by the number of their exec request. */
  readonly #execs = new Map<unknown, Fields>()
  #facts: Fields = {}
  #began = false

  get document(): RunDocument {
    this.#endText()
    const { run = {}, ...context } = this.#request as { run?: Fields }
    const tools = [...this.#tools.values()]
    return {
      request: { ...run, ...context, ...list('messages', this.#messages), ...list('tools', tools) },
      answer: { ...list('output', this.#output), ...this.#facts },
      continues: !this.#began,
    }
  }

  sent({ runRequest, execClientMessage, conversationAction }: Fields): void {
    if (isObject(runRequest)) this.#begin(runRequest)
    if (isObject(execClientMessage)) this.#result(execClientMessage)
    if (isObject(conversationAction)) this.#say(conversationAction)
  }

  received({ interactionUpdate, execServerMessage }: Fields): void {
    if (isObject(execServerMessage)) this.#exec(execServerMessage)
    if (!isObject(interactionUpdate)) return
    const { textDelta, thinkingDelta, toolCallStarted, turnEnded } = interactionUpdate
    if (isObject(textDelta)) this.#add('text', textDelta.text)
    if (isObject(thinkingDelta)) this.#add('thinking', thinkingDelta.text)
    if (isObject(toolCallStarted)) this.#call(toolCallStarted)
    if (isObject(turnEnded)) this.#facts = { ...this.#facts, turnEnded }
  }

  #begin({ preFetchedBlobs, conversationState, action, mcpTools, ...run }: Fields): void {
    this.#began = true
    const blobs = new Map(
      (Array.isArray(preFetchedBlobs) ? preFetchedBlobs : [])
        .filter(isObject)
        .map(({ id, value }) => [id, value]),
    )
    const {
      rootPromptMessagesJson: roots,
      turns: _turns,
      ...state
    } = isObject(conversationState) ? conversationState : {}
    for (const id of Array.isArray(roots) ? roots : []) this.#messages.push(blobs.get(id) ?? { blob: id })
    const rest = isObject(action) ? this.#say(action) : {}
    if (isObject(mcpTools)) this.#offer(mcpTools.mcpTools ?? mcpTools.tools)
    Object.assign(this.#request, { run }, nonEmpty('conversationState', state), nonEmpty('action', rest))
  }

  /** Returns what is no message. */
  #say(action: Fields): Fields {
    const { userMessageAction, ...others } = action
    if (!isObject(userMessageAction)) return others
    const { userMessage, ...rest } = userMessageAction
    if (isObject(userMessage)) {
      const { text, ...more } = userMessage
      this.#messages.push({ role: 'user', content: text, ...more })
    }
    return { ...others, ...rest }
  }

  #offer(tools: unknown): void {
    for (const tool of Array.isArray(tools) ? tools : [])
      if (isObject(tool))
        this.#tools.set(String(tool.name), { ...tool, inputSchema: plainValue(tool.inputSchema) })
  }

  #result({ id, execId: _execId, ...results }: Fields): void {
    const [kind, result] = Object.entries(results)[0] ?? ['']
    if (kind === 'requestContextResult') return this.#context(result)
    const call = this.#execs.get(id)
    this.#messages.push({
      role: 'tool',
      content: [
        { type: 'tool-result', ...(call ? { toolCallId: call.toolCallId } : {}), result: resultOf(result) },
      ],
    })
  }

  #context(result: unknown): void {
    const success = isObject(result) ? result.success : undefined
    const context = isObject(success) ? success.requestContext : undefined
    if (!isObject(context)) return
    const { tools, ...others } = context
    this.#offer(tools)
    this.#request.requestContext = others
  }

  #exec({ id, ...request }: Fields): void {
    for (const args of Object.values(request))
      if (isObject(args) && typeof args.toolCallId === 'string') this.#execs.set(id, args)
  }

  #add(kind: 'text' | 'thinking', text: unknown): void {
    if (typeof text !== 'string') return
    if (this.#text?.kind !== kind) {
      this.#endText()
      this.#text = { kind, pieces: new Pieces() }
    }
    this.#text.pieces.add(kind, text)
  }

  #endText(): void {
    const { kind, pieces } = this.#text ?? {}
    if (kind !== undefined && pieces) this.#output.push({ type: kind, [kind]: pieces.of(kind) })
    this.#text = undefined
  }

  #call({ callId, toolCall }: Fields): void {
    this.#endText()
    const [kind = '', call] =
      Object.entries(isObject(toolCall) ? toolCall : {}).find(([, one]) => isObject(one)) ?? []
    const made = isObject(call) && isObject(call.args) ? call.args : {}
    const isOffered = kind === 'mcpToolCall'
    const args = isOffered ? plainMap(made.args) : made
    this.#output.push({ type: 'tool-call', toolCallId: callId, toolName: isOffered ? made.name : kind, args })
  }
}

const list = (name: string, values: readonly unknown[]): Fields =>
  values.length === 0 ? {} : { [name]: values }
const nonEmpty = (name: string, value: Fields): Fields =>
  Object.keys(value).length === 0 ? {} : { [name]: value }

/** The text of a result, if it is one. */
function resultOf(result: unknown): unknown {
  const success = isObject(result) ? result.success : undefined
  const content = isObject(success) ? success.content : undefined
  if (!Array.isArray(content)) return typeof content === 'string' ? content : result
  return content.map((part) =>
    isObject(part) && isObject(part.text) ? { type: 'text', ...part.text } : part,
  )
}

const plainMap = (fields: unknown): unknown =>
  isObject(fields)
    ? Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plainValue(value)]))
    : fields

/** A `google.protobuf.Value` as JSON. */
function plainValue(value: unknown): unknown {
  if (!isObject(value)) return value
  const { structValue, listValue } = value
  if (isObject(structValue)) return plainMap(structValue.fields ?? {})
  if (isObject(listValue)) return (Array.isArray(listValue.values) ? listValue.values : []).map(plainValue)
  if ('nullValue' in value) return null
  const [kind, inner] = Object.entries(value)[0] ?? []
  return kind === 'stringValue' || kind === 'numberValue' || kind === 'boolValue' ? inner : value
}
