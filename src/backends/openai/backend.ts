// Backend for any server that speaks OpenAI's Chat Completions with native tools, or its Responses API.

import type { Backend, Finding, Model, ToolFacts, TurnContext } from '../../core/backend.ts'
import type { TurnEvent } from '../../core/events.ts'
import { recalled } from '../../core/recall.ts'
import type { TurnRequest } from '../../core/request.ts'
import { fromChatError } from '../../protocols/openai-chat/errors.ts'
import { toListedModel } from '../../protocols/openai-chat/model-list.ts'
import type { StrictSetting } from '../../protocols/openai-chat/schemas-out.ts'
import { hasToolSearch } from '../../protocols/openai-chat/servers/gpt.ts'
import { serverTraits } from '../../protocols/openai-chat/servers.ts'
import { headersFor } from '../../protocols/requests/dialect-headers.ts'
import { withoutForeignParts } from '../../protocols/requests/opaque-parts.ts'
import type { UpstreamClient } from '../../upstream/client.ts'
import { httpTurn } from '../http/http-turn.ts'
import { listModels } from '../http/list-models.ts'
import type { Api, ApiName, ApiTurn } from './api.ts'
import { ApiChoice, type ApiSetting } from './api-choice.ts'
import { createChatApi } from './chat-api.ts'
import type { ReasoningSources } from './kept-reasoning.ts'
import { Recognition } from './recognition.ts'
import { createResponsesApi } from './responses-api.ts'
import { createTokenCounter } from './token-counter.ts'

interface OpenAIBackendOptions {
  name: string
  client: UpstreamClient
  apiKey: string | undefined
  /** The header with the bare key. Absent: `authorization`, as a Bearer token. */
  authHeader?: string | undefined
  baseUrl?: string | undefined
  /** Default: auto. */
  api?: ApiSetting | undefined
  /** Default: auto. */
  strict?: StrictSetting | undefined
  /** Query parameters of every URL. */
  query?: Readonly<Record<string, string>> | undefined
  headers: Record<string, string>
  /** Headers that choose the account and may come from the client. */
  accountHeaders?: readonly string[] | undefined
  /** Several keys share the account. */
  isShared?: boolean | undefined
  /** A replay: nothing may be asked that is not on the tape. */
  isReplay?: boolean | undefined
  /** Default: those of this backend alone. */
  reasoningSources?: ReasoningSources | undefined
  progressMs: number
  firstByteMs: number
}

/** Changes of the API per turn: there, and back if it does not exist. */
const maxSwitches = 2

export function createOpenAIBackend(options: OpenAIBackendOptions): Backend {
  const { name, client } = options
  const headers = { ...keyHeader(options), ...options.headers }
  const query = String(new URLSearchParams(options.query))
  const address = (path: string) => (query === '' ? path : `${path}?${query}`)
  const { host } = new URL(client.origin)
  const choice = new ApiChoice(options.api ?? 'auto', host, options.baseUrl ?? '')
  const apis: Record<ApiName, Api> = {
    chat: createChatApi({ ...options, host }),
    responses: createResponsesApi({ ...options, host }),
  }
  const dialects = [apis.chat.dialect, apis.responses.dialect]

  function open(using: ApiName, request: TurnRequest, context: TurnContext): ApiTurn {
    const api = apis[using]
    const known = withoutForeignParts(request, [api.dialect], (text) => context.notes.add(text))
    return api.open(known, context)
  }

  function run(request: TurnRequest, context: TurnContext): AsyncIterable<TurnEvent[]> {
    const own = headersFor('openai', request.origin, headers, { accounts: options.accountHeaders })
    const sentHeaders = context.traceHeaders ? { ...own, ...context.traceHeaders } : own
    const notesBefore = context.notes.all.length
    const learned = recalled(context.recall, 'api', () => choice.learnedOf(request.model))
    let using = choice.of(request, learned)
    let turn = open(using, request, context)
    let switchesLeft = maxSwitches
    const recognises = !recognition.isOver && apis.chat.isUnknown?.(request) === true
    const attempt = () => ({
      path: address(apis[using].path),
      headers: sentHeaders,
      body: turn.text(),
      reader: turn.reader(),
    })
    return httpTurn({
      client,
      progressMs: options.progressMs,
      firstByteMs: options.firstByteMs,
      backend: name,
      ...attempt(),
      stream: request.stream,
      signal: context.signal,
      tap: context.tap,
      onAnswerHeaders: (headers) => context.onAnswerHeaders?.('openai', headers),
      toError: (refusal) => turn.toError(refusal),
      rescue: () => turn.rescue?.(),
      cure(error) {
        const other = switchesLeft-- > 0 ? choice.after(error, request.model, using) : undefined
        if (other !== undefined) {
          using = other
          context.notes.rewind(notesBefore)
          turn = open(other, request, context)
        } else if (!turn.correct(error)) return undefined
        return attempt()
      },
      ...(options.isShared ? { onJson: (text: string) => turn.onJson?.(text) } : {}),
      ignoresText: () => true,
      onEvents(events) {
        if (recognises && using === 'chat') recognition.begin()
        return turn.onEvents(events)
      },
    })
  }

  async function models(signal: AbortSignal): Promise<Model[]> {
    const path = address('/models')
    const entries = await listModels({ client, backend: name, headers, path, signal, toError: fromChatError })
    apis.chat.onListed?.(entries)
    recognition.onListed()
    return entries.map((entry) => toListedModel(entry, name))
  }

  const recognition = new Recognition(models)
  if (options.isReplay) recognition.close()

  async function close(): Promise<void> {
    recognition.close()
    await client.close()
  }

  const describe = async (): Promise<Finding[]> =>
    choice.description === undefined ? [] : [{ status: 'ok', message: choice.description }]

  const toolFacts = (request: TurnRequest): ToolFacts => ({
    limit: serverTraits(host, request.model).mostTools,
    learnedLimit: apis.chat.learnedLimit?.(request.model),
    searches: choice.of(request) === 'responses' && searchesFor(request, apis.responses.dialect),
    runsWebTools: choice.of(request) === 'responses' && request.origin.dialect === apis.responses.dialect,
  })

  const count = createTokenCounter({ backend: name })
  const countTokens = (request: TurnRequest, { signal }: TurnContext) => count(request, signal)

  return { kind: 'openai', dialects, toolFacts, models, run, countTokens, describe, close }
}

/** The request asks for the search of the service itself, and its model has one. */
const searchesFor = ({ toolSearch, model }: TurnRequest, dialect: string) =>
  toolSearch?.tool.dialect === dialect && hasToolSearch(model)

function keyHeader({ apiKey, authHeader }: OpenAIBackendOptions): Record<string, string> {
  if (apiKey === undefined) return {}
  const name = authHeader?.toLowerCase() ?? 'authorization'
  return { [name]: authHeader === undefined ? `Bearer ${apiKey}` : apiKey }
}
