// The key by which a conversation stays with its account: the client's own id of it, or a digest of the conversation so far. Digests
// alone are stored, never an id. Neither the system prompt nor the first message is a key: all conversations of a client may share them.

import { createHash } from 'node:crypto'
import { isObject, parseJson } from '../base/json.ts'
import type { Caller } from '../core/caller.ts'
import type { Affinity } from '../core/pool/pool-parts.ts'
import type { Message, TurnRequest } from '../core/request.ts'
import { dialect } from '../protocols/openai-responses/dialect.ts'

const answerPrefix = 'resp_'

type ReadHeader = (name: string) => string | undefined

interface Conversation {
  backend: string
  model: string
  caller: Caller
  header: ReadHeader
  turn: TurnRequest
  /** The id of the answer without its prefix; all have the same length. */
  answerId: string
}

export function affinityOf(conversation: Conversation): Affinity {
  const { caller, header, turn, answerId } = conversation
  const keyed = (id: string) => digest(conversation, id)
  const named = namedBy(caller, header, turn)
  if (named)
    return { key: keyed(named.id), ...(named.parent === undefined ? {} : { parent: keyed(named.parent) }) }
  const last = turn.messages.findLastIndex(({ role }) => role === 'assistant')
  const said = keyed(`so far ${digestOf(turn.messages)}`)
  // A Responses client may send all that was said, or the id of the last answer.
  const next = turn.origin.dialect === dialect ? [said, keyed(`after ${answerId}`)] : [said]
  const before = answerBefore(turn, answerId.length)
  if (before !== undefined) return { key: keyed(`after ${before}`), next }
  // A first message may be that of many conversations: nothing is looked up for it.
  if (last < 0) return { next }
  return { key: keyed(`so far ${digestOf(turn.messages.slice(0, last))}`), next }
}

/** The clients' ways to name a conversation; subagents have an id of their own beside that of their parent. */
function namedBy(
  { session }: Caller,
  header: ReadHeader,
  { origin: { body } }: TurnRequest,
): { id: string; parent?: string | undefined } | undefined {
  if (session !== undefined) {
    const slash = session.indexOf('/')
    return slash < 0 ? { id: session } : { id: session, parent: session.slice(0, slash) }
  }
  const ofClaude = claudeSession(body)
  if (ofClaude !== undefined) return { id: ofClaude }
  const read = (name: string) => plain(header(name))
  const thread = read('thread-id') ?? read('session-id')
  if (thread !== undefined) return { id: thread, parent: read('x-codex-parent-thread-id') }
  const affinity = read('x-session-id') ?? read('x-session-affinity')
  if (affinity !== undefined) return { id: affinity, parent: read('x-parent-session-id') }
  const cached = plain(body.prompt_cache_key)
  return cached === undefined ? undefined : { id: cached }
}

/** The answer that a Responses client continues: conversations that said the same so far are told apart by it. */
function answerBefore({ origin: { body } }: TurnRequest, length: number): string | undefined {
  const id = plain(body.previous_response_id)
  // The instance that gave the id stands at its end.
  return id?.startsWith(answerPrefix)
    ? id.slice(answerPrefix.length, answerPrefix.length + length)
    : undefined
}

/** Printable ASCII up to 256 characters; anything else is no id. */
const plain = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\x21-\x7e]{1,256}$/.test(value) ? value : undefined

/** `metadata.user_id` is JSON text, or `user_…_account_…_session_ID` of older versions. */
function claudeSession({ metadata }: Readonly<Record<string, unknown>>): string | undefined {
  const userId = isObject(metadata) ? metadata.user_id : undefined
  if (typeof userId !== 'string' || userId.length > 1_000) return undefined
  const written = userId.startsWith('{') ? parseJson(userId) : undefined
  if (isObject(written)) return plain(written.session_id)
  const at = userId.lastIndexOf('_session_')
  return at < 0 ? undefined : plain(userId.slice(at + '_session_'.length))
}

/** Models of one family share an account: a client's small model works on the same conversation. */
const familyOf = (model: string) => /^[a-z]+/i.exec(model.slice(model.lastIndexOf('/') + 1))?.[0] ?? ''

const digest = ({ caller, backend, model }: Conversation, id: string): string =>
  createHash('sha256')
    .update(JSON.stringify([caller.key, backend, familyOf(model), id]))
    .digest('base64url')

function digestOf(messages: readonly Message[]): string {
  const hash = createHash('sha256')
  for (const message of messages) {
    const said = message.role === 'tool' ? message.results.map(({ content }) => content) : message.content
    hash.update(JSON.stringify([message.role, said]))
  }
  return hash.digest('base64url')
}
