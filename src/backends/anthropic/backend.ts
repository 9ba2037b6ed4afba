// Anthropic Messages over HTTPS, from Anthropic or from a cloud.

import { isDeeper } from '../../base/depth.ts'
import type { Backend, Model, TurnContext } from '../../core/backend.ts'
import { GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { TurnRequest } from '../../core/request.ts'
import { droppedNote } from '../../protocols/anthropic-messages/block-binding.ts'
import { listedFacts } from '../../protocols/anthropic-messages/capabilities.ts'
import { dialect } from '../../protocols/anthropic-messages/dialect.ts'
import { anthropicModel } from '../../protocols/anthropic-messages/models.ts'
import { AnthropicReader } from '../../protocols/anthropic-messages/read.ts'
import { strictNote, strictRefusedNote } from '../../protocols/tool-schemas/strict-tools.ts'
import type { UpstreamClient } from '../../upstream/client.ts'
import { askJson } from '../http/ask-json.ts'
import { httpTurn } from '../http/http-turn.ts'
import { listModels } from '../http/list-models.ts'
import type { Platform } from './platform.ts'
import { AnthropicRequests, textOf, type UpstreamRequest } from './requests.ts'
import { ThinkingCollector } from './thinking-collector.ts'

interface AnthropicBackendOptions {
  name: string
  client: UpstreamClient
  platform: Platform
  headers: Record<string, string>
  promptCache: 'auto' | 'off'
  /** Default: auto. Only `on` asks for strict tools. */
  strict?: 'auto' | 'on' | 'off' | undefined
  accountHeaders?: readonly string[] | undefined
  isShared?: boolean | undefined
  progressMs: number
  firstByteMs: number
}

export function createAnthropicBackend(options: AnthropicBackendOptions): Backend {
  const { name, client, platform } = options
  const requests = new AnthropicRequests(options)
  const { storedIds } = requests

  function run(request: TurnRequest, context: TurnContext): AsyncIterable<TurnEvent[]> {
    const { turnId, wholeArguments, budget } = context
    const note = (text: string) => context.notes.add(text)
    let sent = requests.write(request, context, note)
    const wire = () => {
      const { path, headers, body } = platform.toMessages(messageOf(request, sent, note))
      return {
        path,
        headers: context.traceHeaders ? { ...headers, ...context.traceHeaders } : headers,
        body: textOf(body, request),
      }
    }
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
      ...wire(),
      stream: request.stream,
      reader,
      signal: context.signal,
      tap: context.tap,
      ...(storedIds ? { onJson: (text: string) => storedIds.see(context.caller.key, text) } : {}),
      onAnswerHeaders: (headers) => context.onAnswerHeaders?.('anthropic', headers),
      toError: platform.toError,
      cure(error) {
        if (sent.strict && requests.refusedStrict(request, sent, error)) {
          context.notes.withdraw(strictNote(sent.strict))
          note(strictRefusedNote)
        } else if (!requests.isCurable(request, sent.body, error)) return undefined
        sent = requests.write(request, context, note)
        return wire()
      },
      ignoresText: () => collector.ignoresText,
      // The turn is kept before the batch is sent: the client may reply immediately.
      onEvents: (events) => collector.push(events, (turn) => requests.keep(request, context, sent, turn)),
    })
  }

  return {
    kind: 'anthropic',
    dialects: [dialect],
    toolFacts: ({ origin, toolSearch, model }) => ({
      searches: toolSearch?.tool.dialect === dialect && (platform.searchesTools?.(model) ?? true),
      runsWebTools: origin.dialect === dialect && platform.runsWebTools !== false,
    }),
    run,
    models: (signal) => platform.models?.(signal) ?? askModels(options, requests, signal),
    countTokens: (request, context) => askCount(options, requests, request, context),
    close: async () => {
      await Promise.all([client.close(), platform.close?.()])
    },
  }
}

const messageOf = (
  { model, stream }: TurnRequest,
  { body, headers }: UpstreamRequest,
  note: (text: string) => void,
) => ({ model, stream, body, headers, note })

async function askCount(
  { client, name, platform }: AnthropicBackendOptions,
  requests: AnthropicRequests,
  request: TurnRequest,
  context: TurnContext,
): Promise<number | undefined> {
  // A count request has no output limit, but without one the body could not be forwarded verbatim.
  const maxOutputTokens = request.maxOutputTokens ?? requests.factsOf(request.model).outputTokens
  const ignore = () => undefined
  const sent = requests.write({ ...request, maxOutputTokens }, context, ignore)
  const { path, headers, body } = platform.toCount(messageOf(request, sent, ignore))
  try {
    const { json } = await askJson({
      client,
      backend: name,
      path,
      headers,
      body: textOf(body, request),
      signal: context.signal,
      toError: platform.toError,
    })
    return platform.readCount(json)
  } catch (error) {
    if (error instanceof GatewayError && platform.cannotCount?.(error)) return undefined
    throw error
  }
}

async function askModels(
  { client, name, platform }: AnthropicBackendOptions,
  requests: AnthropicRequests,
  signal: AbortSignal,
): Promise<Model[]> {
  const entries = await listModels({
    client,
    backend: name,
    headers: requests.headers(),
    path: '/v1/models?limit=1000',
    signal,
    toError: platform.toError,
  })
  requests.onListed(entries)
  return entries.map(toModel)
}

/**
 * Undefined if the client must not see the service's own messages: the client speaks another dialect, tools have other names, or the
 * server only resembles Anthropic's and may show thinking that the request did not ask for.
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
