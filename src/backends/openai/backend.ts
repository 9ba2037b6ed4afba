// Backend for any server that speaks OpenAI Chat Completions with native tools. The protocol modules repair its mistakes.

import type { Backend, Model, TurnContext } from '../../core/backend.ts'
import type { KnownCall } from '../../core/call-key.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { TurnRequest } from '../../core/request.ts'
import { fromChatError } from '../../protocols/openai-chat/errors.ts'
import { withFittingNames } from '../../protocols/openai-chat/fitting-names.ts'
import { toListedModel } from '../../protocols/openai-chat/model-list.ts'
import { ChatReader } from '../../protocols/openai-chat/read.ts'
import { headersFor } from '../../protocols/requests/dialect-headers.ts'
import type { UpstreamClient } from '../../upstream/client.ts'
import { httpTurn } from '../http/http-turn.ts'
import { listModels } from '../http/list-models.ts'
import { ChatRequest } from './chat-request.ts'
import { KeptTurns } from './kept-turns.ts'
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
  /** Headers that choose the account and may come from the client. */
  accountHeaders?: readonly string[] | undefined
  progressMs: number
  firstByteMs: number
}

export function createOpenAIBackend(options: OpenAIBackendOptions): Backend {
  const { name, client } = options
  const headers = { ...keyHeader(options), ...options.headers }
  const query = String(new URLSearchParams(options.query))
  const address = (path: string) => (query === '' ? path : `${path}?${query}`)
  const kept = new KeptTurns()
  const lessons = new ServerLessons(new URL(client.origin).host)
  const memory = { kept, lessons }

  function run(request: TurnRequest, context: TurnContext): AsyncIterable<TurnEvent[]> {
    const { turnId, wholeArguments, budget } = context
    const { model } = request
    const note = (text: string) => context.notes.add(text)
    const fitting = withFittingNames(request, note)
    const sent = new ChatRequest(fitting.request, context.caller, memory, note)
    const reader = new ChatReader({ turnId, wholeArguments, budget, model, backend: name, note })
    const calls: KnownCall[] = []
    const own = headersFor('openai', request.origin, headers, options.accountHeaders)
    const sentHeaders = context.traceHeaders ? { ...own, ...context.traceHeaders } : own
    return httpTurn({
      client,
      progressMs: options.progressMs,
      firstByteMs: options.firstByteMs,
      backend: name,
      path: address('/chat/completions'),
      headers: sentHeaders,
      body: sent.text(),
      stream: request.stream,
      reader,
      signal: context.signal,
      tap: context.tap,
      onAnswerHeaders: (headers) => context.onAnswerHeaders?.('openai', headers),
      toError: (refusal) => fromChatError(refusal, lessons.traitsOf(model)),
      cure: (error) => (sent.correct(error) ? { headers: sentHeaders, body: sent.text() } : undefined),
      ignoresText: () => true,
      onEvents: (events) => {
        for (const event of events) {
          if (event.type === 'tool-call-end') calls.push(event)
          // Kept before the batch is sent: the client may reply immediately.
          else if (event.type === 'turn-end') kept.keep(context.caller, model, calls, reader)
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
