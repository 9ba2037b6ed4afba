// The blobs of a Cursor run: which the service stored with its client, which it asked for, and which the client supplied.

import { fromBinary } from '@bufbuild/protobuf'
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  type AgentConversationTurnStructure,
  type AgentServerMessage,
  AgentServerMessageSchema,
  type ConversationStateStructure,
  ConversationStepSchema,
  ConversationTurnStructureSchema,
  UserMessageSchema,
} from '../../proto/gen/agent/v1/run_pb.ts'
import { isObject, parseJson } from '../base/json.ts'
import { plural } from './format.ts'
import type { Frame } from './frame.ts'

interface BlobUse {
  at: number
  turn: string
  /** Who used the blob, and how. */
  who:
    | 'client brought it'
    | 'server set it'
    | 'server asked for it'
    | 'client refers to it'
    | 'server refers to it'
}

export interface BlobRow {
  id: string
  bytes: number | undefined
  kind: 'json' | 'protobuf' | 'text' | 'bytes' | 'unknown'
  /** The role of a chat message, or the kind of a step. */
  role: string | undefined
  preview: string
  uses: BlobUse[]
}

export function blobRows(frames: readonly Frame[]): BlobRow[] {
  const blobs = new Map<string, { data: Uint8Array | undefined; uses: BlobUse[] }>()
  /** Requested blobs by request number. */
  const asked = new Map<number, Uint8Array>()
  for (const frame of frames) {
    if (frame.side !== 'run' || !('base64' in frame)) continue
    const use = (id: Uint8Array, who: BlobUse['who'], data?: Uint8Array) => {
      const key = Buffer.from(id).toString('hex')
      const blob = blobs.get(key) ?? { data: undefined, uses: [] }
      blobs.set(key, blob)
      blob.data ??= data
      blob.uses.push({ at: frame.at, turn: frame.turn, who })
    }
    const message = decoded(frame.do, Buffer.from(frame.base64, 'base64'))
    if (frame.do === 'sent') fromClient(message as AgentClientMessage | undefined, { asked, use })
    else fromServer(message as AgentServerMessage | undefined, { asked, use })
  }
  return [...blobs].map(([id, { data, uses }]) => ({ id, ...describeBlob(data), uses }))
}

function decoded(what: string, bytes: Uint8Array): AgentClientMessage | AgentServerMessage | undefined {
  try {
    return what === 'sent'
      ? fromBinary(AgentClientMessageSchema, bytes)
      : fromBinary(AgentServerMessageSchema, bytes)
  } catch {
    return undefined
  }
}

interface Finder {
  asked: Map<number, Uint8Array>
  use(id: Uint8Array, who: BlobUse['who'], data?: Uint8Array): void
}

function fromServer(message: AgentServerMessage | undefined, { asked, use }: Finder): void {
  if (message?.message.case === 'conversationCheckpointUpdate')
    for (const id of referred(message.message.value)) use(id, 'server refers to it')
  if (message?.message.case !== 'kvServerMessage') return
  const { id, message: kv } = message.message.value
  if (kv.case === 'setBlobArgs') use(kv.value.blobId, 'server set it', kv.value.blobData)
  if (kv.case !== 'getBlobArgs') return
  asked.set(id, kv.value.blobId)
  use(kv.value.blobId, 'server asked for it')
}

function fromClient(message: AgentClientMessage | undefined, { asked, use }: Finder): void {
  if (message?.message.case === 'runRequest') {
    const { preFetchedBlobs, conversationState } = message.message.value
    for (const { id, value } of preFetchedBlobs) use(id, 'client brought it', value)
    if (conversationState) for (const id of referred(conversationState)) use(id, 'client refers to it')
  }
  if (message?.message.case !== 'kvClientMessage') return
  const { id, message: kv } = message.message.value
  const blobId = asked.get(id)
  asked.delete(id)
  if (kv.case === 'getBlobResult' && blobId && kv.value.blobData)
    use(blobId, 'client brought it', kv.value.blobData)
}

const referred = ({ rootPromptMessagesJson, turns, summary }: ConversationStateStructure) => [
  ...rootPromptMessagesJson,
  ...turns,
  ...(summary ? [summary] : []),
]

const previewLength = 100

function describeBlob(data: Uint8Array | undefined): Pick<BlobRow, 'bytes' | 'kind' | 'role' | 'preview'> {
  if (!data) return { bytes: undefined, kind: 'unknown', role: undefined, preview: 'not on this tape' }
  const bytes = data.length
  const text = utf8(data)
  const json = text === undefined ? undefined : parseJson(text)
  if (isObject(json)) {
    const role = typeof json.role === 'string' ? json.role : undefined
    return { bytes, kind: 'json', role, preview: short(contentText(json.content) ?? (text as string)) }
  }
  const known = knownMessage(data)
  if (known) return { bytes, kind: 'protobuf', ...known }
  if (text !== undefined && !/(?!\s)\p{Cc}/u.test(text))
    return { bytes, kind: 'text', role: undefined, preview: short(text) }
  return { bytes, kind: 'bytes', role: undefined, preview: Buffer.from(data.subarray(0, 24)).toString('hex') }
}

/** A short text for the parts of a message: texts, calls and results. */
function contentText(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  return content
    .map((part) => {
      if (!isObject(part)) return String(part)
      if (typeof part.text === 'string') return part.text
      const name = typeof part.toolName === 'string' ? ` ${part.toolName}` : ''
      return `[${part.type ?? 'part'}${name}] ${JSON.stringify(part.args ?? part.result ?? part.output ?? '')}`
    })
    .join(' ')
}

function utf8(data: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data)
  } catch {
    return undefined
  }
}

/** Recognizes the messages that conversations consist of. A message with unknown fields is none of them. */
function knownMessage(data: Uint8Array): Pick<BlobRow, 'role' | 'preview'> | undefined {
  if (data.length === 0) return undefined
  const turn = exactly(ConversationTurnStructureSchema, data)
  if (turn?.turn.case === 'agentConversationTurn' && refersToBlobs(turn.turn.value))
    return { role: 'turn', preview: `a turn of ${plural(turn.turn.value.steps.length, 'step')}` }
  const step = exactly(ConversationStepSchema, data)
  if (step?.message.case === 'assistantMessage')
    return { role: 'assistant', preview: short(step.message.value.text) }
  if (step?.message.case === 'thinkingMessage')
    return { role: 'thinking', preview: short(step.message.value.text) }
  if (step?.message.case === 'toolCall')
    return { role: 'tool call', preview: step.message.value.tool.case ?? 'a call' }
  const user = exactly(UserMessageSchema, data)
  return user && user.messageId !== '' ? { role: 'user', preview: short(user.text) } : undefined
}

/** Tells a turn from an assistant's text, which has the same shape otherwise. */
const refersToBlobs = ({ userMessage, steps }: AgentConversationTurnStructure) =>
  [userMessage, ...steps].every((id) => id.length === idBytes)
const idBytes = 32

function exactly<Schema extends Parameters<typeof fromBinary>[0]>(schema: Schema, data: Uint8Array) {
  try {
    const message = fromBinary(schema, data)
    return message.$unknown === undefined ? message : undefined
  } catch {
    return undefined
  }
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > previewLength ? `${line.slice(0, previewLength)}…` : line
}
