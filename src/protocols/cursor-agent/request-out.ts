// TurnRequest → the first message of a run, and the context that the server asks for right after it.

import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { type RequestContext, RequestContextSchema } from '../../../proto/gen/agent/v1/context_pb.ts'
import {
  AgentClientMessageSchema,
  AgentRunRequestSchema,
  ConversationStateStructureSchema,
  PreFetchedBlobSchema,
} from '../../../proto/gen/agent/v1/run_pb.ts'
import { McpToolsSchema } from '../../../proto/gen/agent/v1/tool_pb.ts'
import { GatewayError } from '../../core/errors.ts'
import type { Message, Tool, TurnRequest } from '../../core/request.ts'
import { reachableBlobs } from './blob-graph.ts'
import type { BlobStore } from './blobs.ts'
import { encodedField, joinFields } from './encoded-fields.ts'
import { flatConversation } from './flatten.ts'
import { activeMessage, agentMode, type ConversationOut, toConversation } from './history-out.ts'
import { instructions, noteDropped, usableTools } from './instructions-out.ts'
import { noteLostDigits } from './json-value.ts'
import { parseModelName } from './model-name.ts'
import { type ModelOptions, modelFields } from './model-out.ts'
import { type Packed, unpack, unpacked } from './packed.ts'
import { type Note, textOf } from './parts-out.ts'
import { isOwnModel } from './root-limit.ts'
import { definitionFields, type ToolOffer, type ToolOffers } from './tool-offers.ts'
import { findWorkspace } from './workspace.ts'

/** A conversation that the service knows up to the current message. */
interface KnownConversation {
  conversationId: string
  /** Encoded; its blobs are in the store. */
  state: Uint8Array
}

interface RunRequestOptions extends ModelOptions {
  blobs: BlobStore
  offers: ToolOffers
  known?: KnownConversation | undefined
  conversationId: string
  runId: string
  history: 'structured' | 'text'
  /** Send the tools twice, in the request and in the context, like the official client. */
  toolsInContext: boolean
  /** The client's working directory if neither its header nor its prompt names one. */
  workspace: string | undefined
  timeZone: string
}

export interface RunPlan {
  /** The bytes of the first message. */
  opening: Uint8Array
  /** The parts of the request that a reopening and the context need. */
  kept: KeptRequest
  conversationId: string
  runId: string
  workspace: string | undefined
  /** Earlier texts of the assistant: a blob that repeats them is not a new answer. */
  said: string[]
}

/** Encoded: a run lives long, and needs this once or never. */
export interface KeptRequest {
  /** The run's request without its conversation and its tools. */
  run: Uint8Array
  /** The context without its tools. */
  context: Packed
  offer: ToolOffer
  toolsInContext: boolean
}

/** Far below the limit of a message; the server asks for the rest. */
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

/** The first message on another stream: continues the run from the server's last state. */
export function encodeReopening(kept: KeptRequest, state: Uint8Array, blobs: BlobStore): Uint8Array {
  return encodeRun(kept, {
    state: fromBinary(ConversationStateStructureSchema, state),
    userMessage: undefined,
    preFetchedBlobs: prefetch(state, blobs),
  })
}

/** The context that the server asks for. */
export function readContext({ context, offer, toolsInContext }: KeptRequest): RequestContext {
  const tools = toolsInContext ? definitionFields(RequestContextSchema.field.tools.number, offer) : []
  return fromBinary(RequestContextSchema, joinFields([unpack(context), ...tools]))
}

/** The blobs that the server would ask for next, one round trip each, as many as fit. */
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

/** The protocol's limit of a message. */
const maxMessageBytes = 16 * 1024 * 1024

interface Conversation extends ConversationOut {
  preFetchedBlobs: { id: Uint8Array; value: Uint8Array }[]
}

function encodeRun(
  { run, offer }: KeptRequest,
  { state, userMessage, preFetchedBlobs }: Conversation,
): Uint8Array {
  const conversation = create(AgentRunRequestSchema, {
    // Present even if empty: without it, the server considers the client broken.
    conversationState: state,
    action: {
      action:
        userMessage === undefined
          ? { case: 'resumeAction', value: {} }
          : { case: 'userMessageAction', value: { userMessage } },
    },
  })
  const { mcpTools, preFetchedBlobs: blobs } = AgentRunRequestSchema.field
  const { id: blobId, value: blobValue } = PreFetchedBlobSchema.field
  // Fields of a message may be in any order, so encoded parts are joined without decoding.
  const bytes = joinFields([
    encodedField(
      AgentClientMessageSchema.field.runRequest.number,
      toBinary(AgentRunRequestSchema, conversation),
      ...preFetchedBlobs.map(({ id, value }) =>
        encodedField(blobs.number, encodedField(blobId.number, id), encodedField(blobValue.number, value)),
      ),
      run,
      encodedField(mcpTools.number, ...definitionFields(McpToolsSchema.field.mcpTools.number, offer)),
    ),
  ])
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
    // Models obey a system prompt here, but not as the first message of the history.
    ...(system === '' ? {} : { cloudRule: system }),
    gitRepoInfoComplete: true,
    mcpInfoComplete: true,
    rulesInfoComplete: true,
    envInfoComplete: true,
    ...(tools.length === 0 ? { webSearchEnabled: false, webFetchEnabled: false } : {}),
  })
  return toBinary(RequestContextSchema, context)
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
