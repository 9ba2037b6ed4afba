// Backend for any server that speaks OpenAI Chat Completions with native tools. The protocol modules repair its mistakes.

import { BoundedMap, entryBytes } from '../../base/bounded-map.ts'
import type { Backend, Model, TurnContext } from '../../core/backend.ts'
import { callKey, type KnownCall } from '../../core/call-key.ts'
import { callerId } from '../../core/caller.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { TurnRequest } from '../../core/request.ts'
import { fromChatError } from '../../protocols/openai-chat/errors.ts'
import { withFittingNames } from '../../protocols/openai-chat/fitting-names.ts'
import type { KeptTurn } from '../../protocols/openai-chat/kept-turn.ts'
import { toListedModel } from '../../protocols/openai-chat/model-list.ts'
import { ChatReader } from '../../protocols/openai-chat/read.ts'
import type { ReasoningField } from '../../protocols/openai-chat/reasoning-out.ts'
import { toChatRequest } from '../../protocols/openai-chat/request-out.ts'
import type { Lesson } from '../../protocols/openai-chat/servers/lessons.ts'
import { bodyText } from '../../protocols/requests/body-text.ts'
import type { UpstreamClient } from '../../upstream/client.ts'
import { httpTurn } from '../http/http-turn.ts'
import { listModels } from '../http/list-models.ts'
import { ServerLessons } from './server-lessons.ts'

interface OpenAIBackendOptions {
  name: string
  client: UpstreamClient
  apiKey: string | undefined
  /** The header with the bare key. Absent: `authorization`, as a Bearer token. */
  authHeader?: string | undefined
  /** Query parameters of every URL. */
  query?: Readonly<Record<string, string>> | undefined
  headers: Record<string, string>
  progressMs: number
  firstByteMs: number
}

const fieldLimits = { maxBytes: 1024 * 1024, ttlMs: 12 * 60 * 60 * 1000 }
/** Retries per turn. After that, the service's own error is the answer. */
const maxLessons = 4
const vaultLimits = { maxBytes: 32 * 1024 * 1024, ttlMs: 12 * 60 * 60 * 1000 }

export function createOpenAIBackend(options: OpenAIBackendOptions): Backend {
  const { name, client } = options
  const headers = { ...keyHeader(options), ...options.headers }
  const query = String(new URLSearchParams(options.query))
  const address = (path: string) => (query === '' ? path : `${path}?${query}`)
  const vault = new BoundedMap<string, KeptTurn>(vaultLimits)
  /** By model: the field of reasoning in its answers. */
  const fields = new BoundedMap<string, ReasoningField>(fieldLimits)
  const lessons = new ServerLessons(new URL(client.origin).host)

  function keep(owner: string, model: string, calls: readonly KnownCall[], reader: ChatReader): void {
    const { reasoningField } = reader
    if (reasoningField !== undefined) fields.set(model, reasoningField, 2 * model.length + entryBytes)
    const kept = calls.length > 0 ? reader.kept : undefined
    if (!kept) return
    const parts = [kept.message, kept.thinking, ...kept.callExtras.values(), ...kept.ownIds]
    const bytes = JSON.stringify(parts).length * 2
    for (const call of calls) vault.set(callKey(owner, model, call), kept, bytes / calls.length + entryBytes)
  }

  function run(request: TurnRequest, context: TurnContext): AsyncIterable<TurnEvent[]> {
    const { turnId, wholeArguments, budget } = context
    const note = (text: string) => context.notes.add(text)
    const fitting = withFittingNames(request, note)
    let learned: Lesson | undefined
    const write = () =>
      toChatRequest(fitting.request, {
        traits: learned
          ? { ...lessons.traitsOf(request.model), ...learned }
          : lessons.traitsOf(request.model),
        recall: (call) =>
          vault.size === 0 ? undefined : vault.get(callKey(callerId(context.caller), request.model, call)),
        answered: fields.get(request.model),
        note,
      })
    let body = write()
    let lessonsLeft = maxLessons
    const reader = new ChatReader({
      turnId,
      wholeArguments,
      budget,
      model: request.model,
      backend: name,
      note,
    })
    const calls: KnownCall[] = []
    const sentHeaders = context.traceHeaders ? { ...headers, ...context.traceHeaders } : headers
    return httpTurn({
      client,
      progressMs: options.progressMs,
      firstByteMs: options.firstByteMs,
      backend: name,
      path: address('/chat/completions'),
      headers: sentHeaders,
      body: bodyText(body, request.origin),
      stream: request.stream,
      reader,
      signal: context.signal,
      tap: context.tap,
      toError: (refusal) => fromChatError(refusal, lessons.traitsOf(request.model)),
      cure(error) {
        const lesson = lessonsLeft-- === 0 ? undefined : lessons.learn(request.model, body, error)
        if (!lesson) return undefined
        learned = { ...learned, ...lesson }
        body = write()
        return { headers: sentHeaders, body: bodyText(body, request.origin) }
      },
      ignoresText: () => true,
      onEvents: (events) => {
        for (const event of events) {
          if (event.type === 'tool-call-end') calls.push(event)
          // Kept before the batch is sent: the client may reply immediately.
          else if (event.type === 'turn-end') keep(callerId(context.caller), request.model, calls, reader)
        }
        return fitting.back(events)
      },
    })
  }

  async function models(signal: AbortSignal): Promise<Model[]> {
    const entries = await listModels({
      client,
      backend: name,
      headers,
      path: address('/models'),
      signal,
      toError: fromChatError,
    })
    return entries.map((entry) => toListedModel(entry, name))
  }

  return { kind: 'openai', models, run, close: () => client.close() }
}

function keyHeader({ apiKey, authHeader }: OpenAIBackendOptions): Record<string, string> {
  if (apiKey === undefined) return {}
  const name = authHeader?.toLowerCase() ?? 'authorization'
  return { [name]: authHeader === undefined ? `Bearer ${apiKey}` : apiKey }
}
