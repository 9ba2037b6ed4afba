// The history of a run request: its state is a tree of blobs that the client keeps.

import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf'
import type { RequestContext } from '../../proto/gen/agent/v1/context_pb.ts'
import {
  type AgentRunRequest,
  type ConversationStep,
  ConversationStepSchema,
  ConversationTurnStructureSchema,
  UserMessageSchema,
} from '../../proto/gen/agent/v1/run_pb.ts'
import type { McpToolDefinition } from '../../proto/gen/agent/v1/tool_pb.ts'
import { isRecord } from '../shape.ts'
import type { AgentRun } from './agent-run.ts'
import { blobIdOf, hex } from './kv-ledger.ts'
import { Refusal } from './refusal.ts'
import { RunOver } from './run-over.ts'

interface RootMessage {
  readonly role: string
  readonly text: string
}

interface PastTurn {
  readonly user: string
  readonly userBlobId: Uint8Array
  readonly steps: readonly ConversationStep[]
  readonly stepBlobIds: readonly Uint8Array[]
}

export interface History {
  readonly root: readonly RootMessage[]
  readonly turns: readonly PastTurn[]
}

export const NO_HISTORY: History = { root: [], turns: [] }

/** Asks the client for every blob that the state reaches. */
export async function loadHistory(run: AgentRun, request: AgentRunRequest): Promise<History> {
  const known = readPrefetched(run, request)
  const fetch = async (id: Uint8Array): Promise<Uint8Array> => {
    const data = known.get(hex(id)) ?? (await run.fetchBlob(id))
    if (data === undefined) throw new Refusal('internal', 'Blob not found')
    return data
  }
  const read = async <Desc extends DescMessage>(
    schema: Desc,
    id: Uint8Array,
  ): Promise<MessageShape<Desc>> => {
    const data = await fetch(id)
    try {
      return fromBinary(schema, data)
    } catch (cause) {
      run.violate(new Refusal('invalid_argument', `blob ${hex(id)} is no ${schema.name}: ${cause}`))
      throw new RunOver('a blob could not be read')
    }
  }
  const { rootPromptMessagesJson = [], turns = [] } = request.conversationState ?? {}
  const roots: Uint8Array[] = []
  for (const id of rootPromptMessagesJson) roots.push(await fetch(id))
  const root = rootPromptMessagesJson.map((id, at) => readRoot(run, id, roots[at] ?? new Uint8Array()))
  const past: PastTurn[] = []
  for (const id of turns) {
    const { turn } = await read(ConversationTurnStructureSchema, id)
    if (turn.case === undefined) continue
    const { userMessage, steps: stepBlobIds } = turn.value
    const user = userMessage.length > 0 ? (await read(UserMessageSchema, userMessage)).text : ''
    const steps: ConversationStep[] = []
    for (const step of stepBlobIds) steps.push(await read(ConversationStepSchema, step))
    past.push({ user, userBlobId: userMessage, steps, stepBlobIds })
  }
  if (!isOwnModel(modelOf(request))) checkRoots(run, roots)
  return { root, turns: past }
}

const MAX_ROOTS = 200
const MAX_ROOT_BYTES = 512 * 1024
/** Models of other vendors accept less, and refuse only after they have fetched everything. */
const isOwnModel = (model: string) => /^(?:cursor-)?composer|^auto|^default$/.test(model)

function checkRoots(run: AgentRun, roots: readonly Uint8Array[]): void {
  const bytes = roots.reduce((sum, { length }) => sum + length, 0)
  const isBare = roots.some((data) =>
    /^\{"role":"user","content":"/.test(Buffer.from(data).toString('latin1', 0, 64)),
  )
  const fault = isBare
    ? 'a user message among the root prompts whose content is no list of parts'
    : roots.length > MAX_ROOTS
      ? `${roots.length} root prompts; at most ${MAX_ROOTS} are taken`
      : bytes > MAX_ROOT_BYTES
        ? `${bytes} bytes of root prompts; at most ${MAX_ROOT_BYTES} are taken`
        : undefined
  if (fault === undefined) return
  run.violate(new Refusal('invalid_argument', 'Error'), fault)
  throw new RunOver('the root prompts were refused')
}

function readPrefetched(run: AgentRun, { preFetchedBlobs }: AgentRunRequest): Map<string, Uint8Array> {
  const known = new Map<string, Uint8Array>()
  for (const { id, value } of preFetchedBlobs) {
    if (hex(blobIdOf(value)) !== hex(id)) {
      run.violate(new Refusal('invalid_argument', `pre-fetched blob ${hex(id)} has another sha256`))
    }
    known.set(hex(id), value)
  }
  return known
}

function readRoot(run: AgentRun, id: Uint8Array, data: Uint8Array): RootMessage {
  try {
    const message: unknown = JSON.parse(Buffer.from(data).toString('utf8'))
    if (isRecord(message) && typeof message.role === 'string') {
      return { role: message.role, text: textOf(message.content) }
    }
  } catch {
    // Reported below, with the message that has no role.
  }
  run.violate(
    new Refusal('invalid_argument', `root prompt blob ${hex(id)} is no JSON message {role, content}`),
  )
  throw new RunOver('a root prompt could not be read')
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (isRecord(part) && typeof part.text === 'string' ? part.text : '')).join('\n')
}

/** Tools of the request, of its action, or of the context that the client sent. */
export function offeredTools(
  request: AgentRunRequest,
  context: RequestContext | undefined,
): McpToolDefinition[] {
  const lists = [request.mcpTools?.mcpTools, givenContext(request)?.tools, context?.tools]
  const byName = new Map(lists.flatMap((list) => (list ?? []).map((tool) => [tool.name, tool])))
  return [...byName.values()]
}

export function givenContext({ action }: AgentRunRequest): RequestContext | undefined {
  const chosen = action?.action
  return chosen?.case === 'userMessageAction' || chosen?.case === 'resumeAction'
    ? chosen.value.requestContext
    : undefined
}

export function modelOf({ requestedModel, modelDetails }: AgentRunRequest): string {
  return requestedModel?.modelId || modelDetails?.modelId || ''
}
