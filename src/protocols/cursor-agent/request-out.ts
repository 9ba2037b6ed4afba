// TurnRequest → the message that opens a run, and the context that the server asks for right after it.

import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { type RequestContext, RequestContextSchema } from '../../../proto/gen/agent/v1/context_pb.ts'
import {
  AgentClientMessageSchema,
  AgentRunRequestSchema,
  ConversationStateStructureSchema,
  UserMessageSchema,
} from '../../../proto/gen/agent/v1/run_pb.ts'
import { McpToolsSchema } from '../../../proto/gen/agent/v1/tool_pb.ts'
import { writeExact } from '../../base/exact-json.ts'
import { GatewayError } from '../../core/errors.ts'
import type { Message, ReasoningEffort, Tool, TurnRequest } from '../../core/request.ts'
import { inlineSystem, inlineSystemNote } from '../requests/inline-system.ts'
import { unusedFields } from '../requests/unused-fields.ts'
import { reachableBlobs } from './blob-graph.ts'
import type { BlobStore } from './blobs.ts'
import { flattenHistory } from './flatten.ts'
import { activeMessage, agentMode, type ConversationOut, toConversation } from './history-out.ts'
import { noteLostDigits } from './json-value.ts'
import { type ModelParameter, maxParameter, parseModelName } from './model-name.ts'
import { type Packed, unpack, unpacked } from './packed.ts'
import { imageOf, type Note, textOf } from './parts-out.ts'
import { isOwnModel } from './root-limit.ts'
import { offeredName } from './tool-names.ts'
import { type ToolOffer, type ToolOffers, writeDefinitions } from './tool-offers.ts'
import { findWorkspace } from './workspace.ts'

/** A conversation that the service has had with us before, up to the present message. */
interface KnownConversation {
  conversationId: string
  /** An encoded state whose blobs are at hand. */
  state: Uint8Array
}

interface RunRequestOptions {
  blobs: BlobStore
  offers: ToolOffers
  known?: KnownConversation | undefined
  conversationId: string
  runId: string
  history: 'structured' | 'text'
  /** Tools go out twice, in the request and in the context, as the official client does it. */
  toolsInContext: boolean
  /** Where the client works, where neither its header nor its prompt says so. */
  workspace: string | undefined
  timeZone: string
  /** The model's own name and parameter for this effort, as far as its listing tells. */
  resolveModel(id: string): string
  effortParameter(id: string, effort: ReasoningEffort): ModelParameter | undefined
  /** The parameters that the listing names for a model; undefined where it names none for any. */
  parametersOf(id: string): readonly string[] | undefined
  /** The service refuses it without max mode. */
  needsMaxMode(id: string, parameters: readonly ModelParameter[]): boolean
  note: Note
}

export interface RunPlan {
  /** The bytes of the first message. */
  opening: Uint8Array
  /** What opening the run again on another stream, and telling the context, needs of the request. */
  kept: KeptRequest
  conversationId: string
  runId: string
  workspace: string | undefined
  /** What the assistant has said before: it is not news when it is met again in a blob. */
  said: string[]
}

/** Encoded: a run lives for long, and needs it once or never. */
export interface KeptRequest {
  /** The run's request without its conversation and its tools. */
  run: Uint8Array
  /** The context without its tools. */
  context: Packed
  offer: ToolOffer
  toolsInContext: boolean
}

/** Far below what a message may hold; the server asks for the rest. */
const maxPrefetchBytes = 4 * 1024 * 1024

export function planRun(request: TurnRequest, options: RunRequestOptions): RunPlan {
  const { blobs, note } = options
  const { leading, rest } = splitSystem(request.messages)
  noteDropped(request, note)
  const offer = options.offers.share(usableTools(request, note))
  const { tools } = offer
  for (const tool of tools) noteLostDigits(tool.schema, note)
  const system = [leading, ...instructions(request, tools)].filter((text) => text !== '').join('\n\n')
  const mode = tools.length > 0 ? agentMode.agent : agentMode.ask
  const workspace = request.workspace ?? findWorkspace(promptTexts(request.messages)) ?? options.workspace
  const modelId = options.resolveModel(parseModelName(request.model).id)
  const conversation = options.known
    ? continuedConversation(options.known, rest, mode, note)
    : options.history === 'text'
      ? flatConversation(rest, mode, note)
      : toConversation({ system, messages: rest, mode, blobs, note, isOwnModel: isOwnModel(modelId) })
  const conversationId = options.known?.conversationId ?? options.conversationId
  const run = create(AgentRunRequestSchema, {
    ...modelFields(request, options),
    conversationId,
    runId: options.runId,
  })
  const kept: KeptRequest = {
    run: toBinary(AgentRunRequestSchema, run),
    context: unpacked(toContext({ system, tools, workspace, options })),
    offer,
    toolsInContext: options.toolsInContext,
  }
  const { state, userMessage } = conversation
  const preFetchedBlobs = options.known ? prefetch(options.known.state, blobs) : blobs.first(maxPrefetchBytes)
  return {
    opening: encodeRun(kept, { state, userMessage, preFetchedBlobs }),
    kept,
    conversationId,
    runId: options.runId,
    workspace,
    said: saidTexts(request.messages),
  }
}

/** The message that takes a run up again on another stream, from the state that the server last gave. */
export function encodeReopening(kept: KeptRequest, state: Uint8Array, blobs: BlobStore): Uint8Array {
  return encodeRun(kept, {
    state: fromBinary(ConversationStateStructureSchema, state),
    userMessage: undefined,
    preFetchedBlobs: prefetch(state, blobs),
  })
}

/** The context that the server asks for. */
export function readContext({ context, offer, toolsInContext }: KeptRequest): RequestContext {
  const writer = new BinaryWriter().raw(unpack(context))
  if (toolsInContext) writeDefinitions(writer, RequestContextSchema.field.tools.number, offer)
  return fromBinary(RequestContextSchema, writer.finish())
}

/** What the server would ask for next, one round trip each, as far as it fits. */
function prefetch(state: Uint8Array, blobs: BlobStore): { id: Uint8Array; value: Uint8Array }[] {
  let room = maxPrefetchBytes
  return reachableBlobs(state, blobs).flatMap(({ id, data }) => {
    if (data.length > room) return []
    room -= data.length
    return [{ id, value: data }]
  })
}

function continuedConversation(
  { state }: KnownConversation,
  messages: readonly Message[],
  mode: number,
  note: Note,
): ConversationOut {
  return {
    state: fromBinary(ConversationStateStructureSchema, state),
    userMessage: activeMessage(messages, mode, note),
  }
}

/** What one message may hold on this protocol. */
const maxMessageBytes = 16 * 1024 * 1024

interface Conversation extends ConversationOut {
  preFetchedBlobs: { id: Uint8Array; value: Uint8Array }[]
}

function encodeRun(
  { run, offer }: KeptRequest,
  { state, userMessage, preFetchedBlobs }: Conversation,
): Uint8Array {
  const conversation = create(AgentRunRequestSchema, {
    // Present even when empty: the server takes its absence for a broken client.
    conversationState: state,
    action: {
      action:
        userMessage === undefined
          ? { case: 'resumeAction', value: {} }
          : { case: 'userMessageAction', value: { userMessage } },
    },
    preFetchedBlobs,
  })
  const tools = writeDefinitions(new BinaryWriter(), McpToolsSchema.field.mcpTools.number, offer).finish()
  // Parts of a message may stand in any order: none is decoded only to be encoded again.
  const whole = new BinaryWriter()
    .raw(toBinary(AgentRunRequestSchema, conversation))
    .raw(run)
    .tag(AgentRunRequestSchema.field.mcpTools.number, WireType.LengthDelimited)
    .bytes(tools)
    .finish()
  const bytes = new BinaryWriter()
    .tag(AgentClientMessageSchema.field.runRequest.number, WireType.LengthDelimited)
    .bytes(whole)
    .finish()
  if (bytes.length <= maxMessageBytes) return bytes
  throw new GatewayError(
    'payload-too-large',
    'The last message and the tools take more than 16 MiB, which is the most that this backend takes at once.',
  )
}

function splitSystem(messages: readonly Message[]): { leading: string; rest: Message[] } {
  const first = messages.findIndex(({ role }) => role !== 'system')
  const count = first < 0 ? messages.length : first
  const leading = messages
    .slice(0, count)
    .map((message) => (message.role === 'system' ? textOf(message.content) : ''))
  const rest = messages.slice(count)
  if (rest.length === 0)
    throw new GatewayError('invalid-request', 'There is nothing to answer: a user message is needed.', {
      param: 'messages',
    })
  return { leading: leading.join('\n\n'), rest }
}

function modelFields(request: TurnRequest, options: RunRequestOptions) {
  const { resolveModel, effortParameter, note } = options
  const named = parseModelName(request.model)
  const modelId = resolveModel(named.id)
  const known = options.parametersOf(modelId)
  const asked = known?.includes(maxParameter.id) ? undefined : named.parameters.find(isMax)
  const parameters = named.parameters.filter((parameter) => parameter !== asked)
  const unknown = parameters.filter(({ id }) => known !== undefined && !known.includes(id))
  if (unknown.length > 0)
    note(`not among the listed parameters of ${modelId}: ${unknown.map(({ id }) => id).join(', ')}`)
  const effort = request.reasoning?.effort
  if (effort !== undefined && !parameters.some(({ id }) => id === 'effort')) {
    const parameter = effortParameter(modelId, effort)
    if (parameter) parameters.push(parameter)
    else note(`reasoning effort was left out: ${modelId} is not known to have a setting for "${effort}"`)
  }
  const maxMode = asked ? asked.value === maxParameter.value : options.needsMaxMode(modelId, parameters)
  if (maxMode)
    note(
      `max mode is on${asked ? '' : `, ${modelId} is not to be had without it`}: the service bills it higher`,
    )
  // Older servers read the one, newer ones the other.
  return {
    modelDetails: { modelId, displayModelId: modelId, ...(maxMode ? { maxMode } : {}) },
    requestedModel: { modelId, parameters, ...(maxMode ? { maxMode } : {}) },
    // Which model it took.
    ...(isRouter(modelId) ? { clientSupportsRoutedModelUpdate: true } : {}),
  }
}

const isMax = ({ id }: ModelParameter) => id === maxParameter.id

/** Names that stand for a model of the service's choice. */
const isRouter = (modelId: string) => modelId === 'default' || modelId.startsWith('auto')

/** A tool choice can only be narrowed to its tool and asked for in words: this service has no switch for it. */
export function usableTools(
  { tools, toolChoice }: Pick<TurnRequest, 'tools' | 'toolChoice'>,
  note: Note,
): readonly Tool[] {
  if (toolChoice === undefined || toolChoice.type === 'auto') return tools
  if (toolChoice.type === 'none') return []
  const isNamed = toolChoice.type === 'tool'
  note(
    `tool_choice is asked for in words${isNamed ? ', and only that tool is offered' : ''}: this backend cannot be forced to call a tool`,
  )
  return isNamed ? tools.filter(({ name }) => name === toolChoice.name) : tools
}

function instructions(
  { toolChoice, responseFormat, parallelToolCalls }: TurnRequest,
  tools: readonly Tool[],
): string[] {
  const texts: string[] = []
  if (tools.length === 0)
    texts.push('No tools are available in this conversation. Answer in text only, without calling any tool.')
  else if (toolChoice?.type === 'required')
    texts.push('Your next answer must be a call of at least one of the available tools.')
  else if (toolChoice?.type === 'tool')
    texts.push(`Your next answer must be a call of the tool "${offeredName(toolChoice.name)}".`)
  if (tools.length > 0 && parallelToolCalls === false) texts.push('Call one tool at a time.')
  if (responseFormat !== undefined) {
    const schema = responseFormat.type === 'json-schema' ? writeExact(responseFormat.schema) : undefined
    const shape = schema === undefined ? '' : ` that conforms to this JSON Schema:\n${schema}`
    texts.push(`Answer with a single JSON object and nothing else, without a code fence${shape}`)
  }
  return texts
}

/** What a request asks for that this service does not have; each request of a run may ask for it anew. */
export function noteDropped(request: TurnRequest, note: Note): void {
  const dropped = unusedFields(request, ['user'])
  if (dropped.length > 0) note(`left out, this backend has no such setting: ${dropped.join(', ')}`)
  if (request.responseFormat !== undefined) note('response_format is asked for in words')
}

interface ContextParts {
  system: string
  tools: readonly Tool[]
  workspace: string | undefined
  options: RunRequestOptions
}

function toContext({ system, tools, workspace, options }: ContextParts): Uint8Array {
  const context = create(RequestContextSchema, {
    env: {
      osVersion: /^[A-Za-z]:\\/.test(workspace ?? '') ? 'win32' : 'linux',
      workspacePaths: workspace === undefined ? [] : [workspace],
      shell: 'bash',
      timeZone: options.timeZone,
      ...(workspace === undefined ? {} : { processWorkingDirectory: workspace }),
    },
    // Here a system prompt is obeyed; as the first message of the history it is not.
    ...(system === '' ? {} : { cloudRule: system }),
    gitRepoInfoComplete: true,
    mcpInfoComplete: true,
    rulesInfoComplete: true,
    envInfoComplete: true,
    ...(tools.length === 0 ? { webSearchEnabled: false, webFetchEnabled: false } : {}),
  })
  return toBinary(RequestContextSchema, context)
}

function flatConversation(messages: readonly Message[], mode: number, note: Note): ConversationOut {
  const begin = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'tool') + 1
  const past = flattenHistory(messages.slice(0, begin), note)
  const active = messages.slice(begin)
  const now = active.flatMap((message) => (message.role === 'user' ? message.content : []))
  const asked =
    active.length === 0 ? 'Go on from here.' : active.map((message) => saidText(message, note)).join('\n\n')
  const selectedImages = now.flatMap((part) => imageOf(part))
  const text = past === '' ? asked : `The conversation so far:\n\n${past}\n\nNow:\n\n${asked}`
  return {
    state: create(ConversationStateStructureSchema, { mode }),
    userMessage: create(UserMessageSchema, {
      text,
      mode,
      ...(selectedImages.length === 0 ? {} : { selectedContext: { selectedImages } }),
    }),
  }
}

function saidText(message: Message, note: Note): string {
  if (message.role === 'user') return textOf(message.content, note)
  if (message.role !== 'system') return ''
  note(inlineSystemNote)
  return inlineSystem(textOf(message.content))
}

function* promptTexts(messages: readonly Message[]): Generator<string> {
  for (const message of messages)
    if (message.role === 'system' || message.role === 'user')
      for (const part of message.content) if (part.type === 'text') yield part.text
}

function saidTexts(messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? [message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')]
      : [],
  )
}
