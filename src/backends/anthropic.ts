// Anthropic Messages over HTTPS, with an API key. What the model thought is kept here by tool call id, because the
// clients of other dialects cannot carry it and the API wants it back byte for byte.

import type { Backend, Model, TurnContext } from '../core/backend.ts'
import { BoundedStore, entryBytes } from '../core/bounded-store.ts'
import { callKey } from '../core/call-key.ts'
import type { CollectedTurn } from '../core/collect.ts'
import type { TurnEvent } from '../core/events.ts'
import type { TurnRequest } from '../core/request.ts'
import { sortBetas } from '../protocols/anthropic-messages/betas.ts'
import { readCount, toCountRequest } from '../protocols/anthropic-messages/count-tokens.ts'
import { dialect } from '../protocols/anthropic-messages/dialect.ts'
import { fromAnthropicError } from '../protocols/anthropic-messages/errors.ts'
import { type KeptBlock, toKeptBlocks } from '../protocols/anthropic-messages/kept-blocks.ts'
import { type AnthropicModel, anthropicModel } from '../protocols/anthropic-messages/models.ts'
import { AnthropicReader } from '../protocols/anthropic-messages/read.ts'
import { toAnthropicRequest } from '../protocols/anthropic-messages/request-out.ts'
import { bodyText, hasOddInput } from '../protocols/body-text.ts'
import type { UpstreamClient } from '../upstream/client.ts'
import { askJson } from './ask-json.ts'
import { httpTurn } from './http-turn.ts'
import { listModels } from './list-models.ts'
import { ThinkingCollector } from './thinking-collector.ts'

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

  function keep(caller: string, model: string, turn: CollectedTurn): void {
    const blocks = toKeptBlocks(turn.parts)
    if (!blocks.some((block) => block.type === 'thinking' || block.type === 'redacted_thinking')) return
    const calls = turn.parts.filter((part) => part.type === 'tool-call')
    const bytes = JSON.stringify(blocks).length * 2
    // Blocks are bound to the model that thought them.
    for (const call of calls)
      vault.set(callKey(caller, model, call), blocks, bytes / calls.length + entryBytes)
  }

  function factsOf(model: string): AnthropicModel {
    const { outputTokens, contextTokens } = listed.get(model) ?? {}
    return {
      ...anthropicModel(model),
      ...(outputTokens === undefined ? {} : { outputTokens, known: true }),
      ...(contextTokens === undefined ? {} : { contextTokens }),
    }
  }

  function toUpstream(request: TurnRequest, context: TurnContext, note: (text: string) => void) {
    const model = factsOf(request.model)
    const { body, names } = toAnthropicRequest(request, {
      model,
      recall: (calls) =>
        vault.size === 0
          ? undefined
          : calls
              .map((call) => vault.get(callKey(context.caller, request.model, call)))
              .find((blocks) => blocks !== undefined),
      promptCache: options.promptCache,
      note,
    })
    const thinks = body.thinking !== undefined || model.thinksByDefault
    return { body, names, headers: withBetas(headers, request, note), thinks }
  }

  function run(request: TurnRequest, context: TurnContext): AsyncIterable<TurnEvent[]> {
    const { model } = request
    const { turnId, wholeArguments, budget } = context
    const note = (text: string) => context.notes.add(text)
    const { body, names, headers, thinks: expected } = toUpstream(request, context, note)
    const toolName = names.toClient
    const reading = { model, backend: name, turnId, wholeArguments, budget, toolName, note }
    const collector = new ThinkingCollector({ expected })
    return httpTurn({
      client,
      progressMs: options.progressMs,
      firstByteMs: options.firstByteMs,
      backend: name,
      path: '/v1/messages',
      headers: context.traceHeaders ? { ...headers, ...context.traceHeaders } : headers,
      body: bodyText(body, request.origin, hasOddInput(request)),
      stream: request.stream,
      reader: new AnthropicReader(reading),
      signal: context.signal,
      tap: context.tap,
      toError: fromAnthropicError,
      passesText: () => collector.passesText,
      // Kept before the batch goes out: the client may answer at once.
      onEvents: (events) => collector.push(events, (turn) => keep(context.caller, model, turn)),
    })
  }

  async function countTokens(request: TurnRequest, context: TurnContext): Promise<number | undefined> {
    // A count has no limit for the answer, without which a request would have to be written anew.
    const maxOutputTokens = request.maxOutputTokens ?? factsOf(request.model).outputTokens
    const { body, headers } = toUpstream({ ...request, maxOutputTokens }, context, () => undefined)
    const { json } = await askJson({
      client,
      backend: name,
      path: '/v1/messages/count_tokens',
      headers,
      body: bodyText(toCountRequest(body), request.origin, hasOddInput(request)),
      signal: context.signal,
      toError: fromAnthropicError,
    })
    return readCount(json)
  }

  async function models(signal: AbortSignal): Promise<Model[]> {
    const entries = await listModels({
      ...options,
      backend: name,
      headers,
      path: '/v1/models?limit=1000',
      signal,
      toError: fromAnthropicError,
    })
    const found = entries.map(toModel)
    listed = new Map(found.map((model) => [model.id, model]))
    return found
  }

  return { kind: 'anthropic', models, run, countTokens, close: () => client.close() }
}

function toModel(entry: Record<string, unknown>): Model {
  const created = typeof entry.created_at === 'string' ? Date.parse(entry.created_at) : Number.NaN
  const { recognised, thinking, efforts } = anthropicModel(String(entry.id))
  return {
    id: String(entry.id),
    ownedBy: 'anthropic',
    ...(typeof entry.display_name === 'string' ? { displayName: entry.display_name } : {}),
    ...(Number.isNaN(created) ? {} : { createdAt: Math.floor(created / 1000) }),
    ...(typeof entry.max_input_tokens === 'number' ? { contextTokens: entry.max_input_tokens } : {}),
    ...(typeof entry.max_tokens === 'number' ? { outputTokens: entry.max_tokens } : {}),
    ...(recognised ? { reasoning: thinking !== 'none', efforts, images: true } : {}),
  }
}

/** What the operator has switched on for all, and what this client may for its own request. */
function withBetas(
  headers: Record<string, string>,
  { origin }: TurnRequest,
  note: (text: string) => void,
): Record<string, string> {
  if (origin.dialect !== dialect || !origin.features) return headers
  const { sent, leftOut } = sortBetas(origin.features)
  if (leftOut.length > 0) note(`not sent on from anthropic-beta: ${leftOut.join(', ')}`)
  const betas = [headers['anthropic-beta'] ?? [], sent].flat()
  return betas.length === 0 ? headers : { ...headers, 'anthropic-beta': betas.join(',') }
}
