// Anthropic Messages over HTTPS, with an API key. What the model thought is kept here by tool call id, because the
// clients of other dialects cannot carry it and the API wants it back byte for byte.

import type { Backend, Model, TurnContext } from '../core/backend.ts'
import { BoundedStore } from '../core/bounded-store.ts'
import type { TurnEvent } from '../core/events.ts'
import type { TurnRequest } from '../core/request.ts'
import type { KeptBlock } from '../protocols/anthropic-messages/blocks-out.ts'
import { fromAnthropicError } from '../protocols/anthropic-messages/errors.ts'
import { anthropicModel } from '../protocols/anthropic-messages/models.ts'
import { AnthropicReader } from '../protocols/anthropic-messages/read.ts'
import { toAnthropicRequest } from '../protocols/anthropic-messages/request-out.ts'
import type { UpstreamClient } from '../upstream/client.ts'
import { type FailedAnswer, httpTurn } from './http-turn.ts'
import { listModels } from './list-models.ts'
import { ThinkingKeeper } from './thinking-keeper.ts'

export interface AnthropicBackendOptions {
  name: string
  client: UpstreamClient
  apiKey: string
  headers: Record<string, string>
  promptCache: 'auto' | 'off'
  progressMs: number
  firstByteMs: number
}

/** Enough for some thousand turns; a tool loop that rests longer than this starts its next turn without thinking. */
const vaultLimits = { maxBytes: 64 * 1024 * 1024, ttlMs: 12 * 60 * 60 * 1000 }

export function createAnthropicBackend(options: AnthropicBackendOptions): Backend {
  const { name, client } = options
  const headers = { 'x-api-key': options.apiKey, 'anthropic-version': '2023-06-01', ...options.headers }
  const vault = new BoundedStore<readonly KeptBlock[]>(vaultLimits)
  let listed = new Map<string, Model>()
  const toError = ({ json, ...answer }: FailedAnswer) =>
    fromAnthropicError({ ...answer, backend: name, body: json })
  // Blocks are bound to the model that thought them.
  const vaultKey = (model: string, callId: string) => `${model}\n${callId}`

  async function* run(request: TurnRequest, context: TurnContext): AsyncGenerator<TurnEvent[]> {
    const note = (text: string) => context.notes.add(text)
    const facts = anthropicModel(request.model)
    const limit = listed.get(request.model)?.outputTokens
    const { body, names } = toAnthropicRequest(request, {
      model: limit === undefined ? facts : { ...facts, outputTokens: limit, known: true },
      recall: (callIds) =>
        callIds.map((id) => vault.get(vaultKey(request.model, id))).find((blocks) => blocks !== undefined),
      promptCache: options.promptCache,
      note,
    })
    const keeper = new ThinkingKeeper()
    const turn = httpTurn({
      ...options,
      backend: name,
      path: '/v1/messages',
      headers,
      body,
      stream: request.stream,
      reader: new AnthropicReader({
        ...context,
        model: request.model,
        backend: name,
        toolName: names.toClient,
        note,
      }),
      signal: context.signal,
      toError,
    })
    for await (const events of turn) {
      keeper.push(events)
      // Kept before the batch goes out: the client may answer at once.
      for (const [callId, blocks] of keeper.take())
        vault.set(vaultKey(request.model, callId), blocks.blocks, blocks.bytes)
      yield events
    }
  }

  async function models(signal: AbortSignal): Promise<Model[]> {
    const entries = await listModels({
      ...options,
      backend: name,
      headers,
      path: '/v1/models?limit=1000',
      signal,
    })
    const found = entries.map((entry): Model => {
      const created = Date.parse(String(entry.created_at))
      return {
        id: String(entry.id),
        ownedBy: 'anthropic',
        ...(typeof entry.display_name === 'string' ? { displayName: entry.display_name } : {}),
        ...(Number.isNaN(created) ? {} : { createdAt: Math.floor(created / 1000) }),
        ...(typeof entry.max_input_tokens === 'number' ? { contextTokens: entry.max_input_tokens } : {}),
        ...(typeof entry.max_tokens === 'number' ? { outputTokens: entry.max_tokens } : {}),
      }
    })
    listed = new Map(found.map((model) => [model.id, model]))
    return found
  }

  return { kind: 'anthropic', models, run, close: () => client.close() }
}
