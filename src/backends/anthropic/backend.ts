// Anthropic Messages over HTTPS, with an API key.

import { isDeeper } from '../../base/depth.ts'
import type { Backend, Model, TurnContext } from '../../core/backend.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { TurnRequest } from '../../core/request.ts'
import { droppedNote } from '../../protocols/anthropic-messages/block-binding.ts'
import { listedFacts } from '../../protocols/anthropic-messages/capabilities.ts'
import { readCount, toCountRequest } from '../../protocols/anthropic-messages/count-tokens.ts'
import { dialect } from '../../protocols/anthropic-messages/dialect.ts'
import { fromAnthropicError } from '../../protocols/anthropic-messages/errors.ts'
import { anthropicModel } from '../../protocols/anthropic-messages/models.ts'
import { AnthropicReader } from '../../protocols/anthropic-messages/read.ts'
import { bodyText, hasOddInput } from '../../protocols/requests/body-text.ts'
import { strictNote, strictRefusedNote } from '../../protocols/tool-schemas/strict-tools.ts'
import type { UpstreamClient } from '../../upstream/client.ts'
import { askJson } from '../http/ask-json.ts'
import { httpTurn } from '../http/http-turn.ts'
import { listModels } from '../http/list-models.ts'
import { AnthropicRequests, textOf, type UpstreamRequest } from './requests.ts'
import { ThinkingCollector } from './thinking-collector.ts'

interface AnthropicBackendOptions {
  name: string
  client: UpstreamClient
  apiKey: string
  headers: Record<string, string>
  promptCache: 'auto' | 'off'
  /** Default: auto, which asks for nothing. */
  strict?: 'auto' | 'on' | 'off' | undefined
  accountHeaders?: readonly string[] | undefined
  isShared?: boolean | undefined
  progressMs: number
  firstByteMs: number
}

export function createAnthropicBackend(options: AnthropicBackendOptions): Backend {
  const { name, client } = options
  const requests = new AnthropicRequests(options)
  const { storedIds } = requests

  function run(request: TurnRequest, context: TurnContext): AsyncIterable<TurnEvent[]> {
    const { turnId, wholeArguments, budget } = context
    const note = (text: string) => context.notes.add(text)
    let sent = requests.write(request, context, note)
    const wire = () => ({
      headers: context.traceHeaders ? { ...sent.headers, ...context.traceHeaders } : sent.headers,
      body: textOf(sent, request),
    })
    const collector = new ThinkingCollector({ expected: sent.thinks })
    const reader = new AnthropicReader({
      model: request.model,
      backend: name,
      turnId,
      wholeArguments,
      budget,
      calls: context.calls,
      toolName: sent.names.toClient,
      lane: context.mayOpenLane ? laneFor(request, sent) : undefined,
      note,
      onTransformations(entries) {
        if (request.origin.dialect === dialect) return
        note(droppedNote)
        requests.onTransformations(sent.body, entries)
      },
    })
    return httpTurn({
      client,
      progressMs: options.progressMs,
      firstByteMs: options.firstByteMs,
      backend: name,
      path: '/v1/messages',
      ...wire(),
      stream: request.stream,
      reader,
      signal: context.signal,
      tap: context.tap,
      ...(storedIds ? { onJson: (text: string) => storedIds.see(context.caller.key, text) } : {}),
      onAnswerHeaders: (headers) => context.onAnswerHeaders?.('anthropic', headers),
      toError: fromAnthropicError,
      cure(error) {
        if (sent.strict && requests.refusedStrict(request, sent, error)) {
          context.notes.withdraw(strictNote(sent.strict))
          note(strictRefusedNote)
        } else if (!requests.isCurable(request, sent.body, error)) return undefined
        sent = requests.write(request, context, note)
        return wire()
      },
      ignoresText: () => collector.ignoresText,
      // Kept before the batch is sent: the client may reply immediately.
      onEvents: (events) => collector.push(events, (turn) => requests.keep(request, context, sent, turn)),
    })
  }

  return {
    kind: 'anthropic',
    dialects: [dialect],
    toolFacts: ({ origin }) => ({ searches: origin.dialect === dialect }),
    run,
    models: (signal) => askModels(options, requests, signal),
    countTokens: (request, context) => askCount(options, requests, request, context),
    close: () => client.close(),
  }
}

async function askCount(
  { client, name }: AnthropicBackendOptions,
  requests: AnthropicRequests,
  request: TurnRequest,
  context: TurnContext,
): Promise<number | undefined> {
  // A count request has no output limit, but without one the body could not be forwarded verbatim.
  const maxOutputTokens = request.maxOutputTokens ?? requests.factsOf(request.model).outputTokens
  const { body, headers } = requests.write({ ...request, maxOutputTokens }, context, () => undefined)
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

async function askModels(
  { client, name }: AnthropicBackendOptions,
  requests: AnthropicRequests,
  signal: AbortSignal,
): Promise<Model[]> {
  const entries = await listModels({
    client,
    backend: name,
    headers: requests.headers(),
    path: '/v1/models?limit=1000',
    signal,
    toError: fromAnthropicError,
  })
  requests.onListed(entries)
  return entries.map(toModel)
}

/**
 * Undefined if the client must not see the service's own messages: it speaks another dialect, tools have other names, or a server that
 * only resembles Anthropic's may show thinking that nobody asked for.
 */
function laneFor({ origin, stream, model }: TurnRequest, { names, thinks, ...sent }: UpstreamRequest) {
  if (origin.dialect !== dialect || names.changed.length > 0) return undefined
  if (!thinks && !sent.model.recognised && !model.includes('claude')) return undefined
  return { dialect, form: stream ? ('message' as const) : ('answer' as const) }
}

/** A larger entry is not passed on to clients. */
const longestEntry = 16 * 1024
const deepestEntry = 16

function toModel(entry: Record<string, unknown>): Model {
  const created = typeof entry.created_at === 'string' ? Date.parse(entry.created_at) : Number.NaN
  const facts = listedFacts(entry)
  const { recognised, thinking, efforts } = { ...anthropicModel(String(entry.id)), ...facts }
  return {
    id: String(entry.id),
    ownedBy: 'anthropic',
    ...(typeof entry.display_name === 'string' ? { displayName: entry.display_name } : {}),
    ...(Number.isNaN(created) ? {} : { createdAt: Math.floor(created / 1000) }),
    ...(typeof entry.max_input_tokens === 'number' ? { contextTokens: entry.max_input_tokens } : {}),
    ...(typeof entry.max_tokens === 'number' ? { outputTokens: entry.max_tokens } : {}),
    ...(recognised || facts.thinking !== undefined
      ? { reasoning: thinking !== 'none', efforts, images: true }
      : {}),
    ...(isDeeper(entry, deepestEntry) || JSON.stringify(entry).length > longestEntry
      ? {}
      : { listed: { form: 'anthropic', entry } as const }),
  }
}
