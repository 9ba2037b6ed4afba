// The gateway's routes. Admission goes by this table, so no route can miss authentication.

import type { Cluster } from '../cluster/cluster.ts'
import { responsesPath, resultsPath, turnsPath } from '../cluster/relay-messages.ts'
import { GatewayError } from '../core/errors.ts'
import { anthropicMessagesDoor } from '../doors/anthropic-messages.ts'
import { clientName, clientTraits } from '../doors/clients.ts'
import { geminiModelList, toGeminiModel } from '../doors/gemini-models.ts'
import { modelList, toAnthropicModel, toChatModel } from '../doors/models.ts'
import { openaiChatDoor } from '../doors/openai-chat.ts'
import type { ResponseStore } from '../doors/response-store.ts'
import type { Exchange } from '../http/exchange.ts'
import { respond, respondJson, respondText } from '../http/respond.ts'
import type { HttpRoute } from '../http/route.ts'
import { geminiRoutes } from './gemini-routes.ts'
import { listedModels, oneModel } from './listed-models.ts'
import { idIn } from './path-id.ts'
import { speaksAnthropic, speaksGoogle } from './refuse.ts'
import { responsesRoutes } from './responses-routes.ts'
import { serveCount } from './serve-count.ts'
import { serveToolResults } from './serve-tool-results.ts'
import { serveTurn } from './serve-turn.ts'
import type { TurnServices } from './serving.ts'

export interface RouteServices extends TurnServices {
  version: string
  draining(): boolean
  renderMetrics(): string | Promise<string>
  /** Responses that clients may refer to by id. */
  responses: ResponseStore
  /** Responses that a WebSocket connection keeps for itself. */
  socketResponses: ResponseStore
  /** Undefined for a single instance. */
  cluster?: Cluster | undefined
}

export type Route = HttpRoute<RouteServices>

/** Of Prometheus' text format. */
const metricsType = 'text/plain; version=0.0.4; charset=utf-8'
const modelsPrefix = '/v1/models/'
const shapeFor = (exchange: Exchange) => (speaksAnthropic(exchange) ? 'anthropic' : 'openai')

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/chat/completions',
    handle: (exchange, services, caller) => serveTurn(exchange, openaiChatDoor, caller, services),
  },
  {
    method: 'POST',
    path: '/v1/messages',
    handle: (exchange, services, caller) => serveTurn(exchange, anthropicMessagesDoor, caller, services),
  },
  {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    handle: (exchange, services, caller) =>
      serveCount(
        exchange,
        { door: anthropicMessagesDoor, shape: (tokens) => ({ input_tokens: tokens }) },
        caller,
        services,
      ),
  },
  ...responsesRoutes,
  ...geminiRoutes,
  {
    method: 'POST',
    path: '/v1/tool_results',
    handle: (exchange, services, caller) => serveToolResults(exchange, caller, services),
  },
  {
    method: 'GET',
    path: '/v1/models',
    handle: async (exchange, { catalog, scrubber }) => {
      const { header, query } = exchange
      if (speaksGoogle(exchange)) {
        const list = geminiModelList(await listedModels(catalog), query)
        return respondJson(exchange, 200, scrubber.scrubListing(list))
      }
      const client = clientTraits(clientName(header('user-agent')), undefined)
      const forCodex = client.wantsOwnModels === true || new URLSearchParams(query).has('client_version')
      const shape = shapeFor(exchange)
      const { modelIds } = client
      const list = modelList(await listedModels(catalog), { shape, forCodex, modelIds, query })
      respondJson(exchange, 200, scrubber.scrubListing(list))
    },
  },
  {
    method: 'GET',
    path: `${modelsPrefix}*`,
    handle: async (exchange, { catalog, scrubber }) => {
      const model = await oneModel(catalog, idIn(exchange, modelsPrefix))
      const toShape = speaksGoogle(exchange)
        ? toGeminiModel
        : shapeFor(exchange) === 'openai'
          ? toChatModel
          : toAnthropicModel
      const shown = toShape(model)
      respondJson(exchange, 200, scrubber.scrubListing(shown))
    },
  },
  {
    method: 'GET',
    path: '/healthz',
    open: true,
    always: true,
    handle: (exchange) => respondJson(exchange, 200, { status: 'ok' }),
  },
  {
    method: 'HEAD',
    path: '/',
    open: true,
    always: true,
    handle: (exchange) => respondText(exchange, 200, ''),
  },
  // Claude Code checks that the server exists before it sends its key.
  ...(['GET', 'HEAD'] as const).map(
    (method): Route => ({
      method,
      path: '/api/hello',
      open: true,
      always: true,
      handle: (exchange) => respondJson(exchange, 200, { message: 'hello' }),
    }),
  ),
  {
    method: 'GET',
    path: '/',
    handle: (exchange, { version }) =>
      respondText(
        exchange,
        200,
        `dragoman ${version}\n\n${clientRoutes.map((route) => `${route.method} ${route.path}`).join('\n')}\n`,
      ),
  },
  {
    method: 'GET',
    path: '/readyz',
    always: true,
    handle: (exchange, { draining }) => {
      const status = draining() ? 'draining' : exchange.crowded ? 'full' : 'ready'
      respondJson(exchange, status === 'ready' ? 200 : 503, { status })
    },
  },
  {
    method: 'GET',
    path: '/metrics',
    always: true,
    handle: async (exchange, { renderMetrics }) => respond(exchange, 200, metricsType, await renderMetrics()),
  },
  {
    method: 'POST',
    path: turnsPath,
    peer: true,
    handle: (exchange, { cluster }) => cluster?.serveTurn(exchange),
  },
  {
    method: 'POST',
    path: resultsPath,
    peer: true,
    handle: (exchange, { cluster }) => cluster?.serveResults(exchange),
  },
  {
    method: 'POST',
    path: responsesPath,
    peer: true,
    handle: (exchange, { cluster, responses }) => cluster?.serveResponse(exchange, responses),
  },
]

const clientRoutes = routes.filter((route) => !route.peer)

const inspectorHint =
  'the inspector is off; start with `dragoman serve --inspect`, or set "inspector.enabled"'

const hints = new Map<string, string>(
  Object.entries({
    '/chat/completions': "set the client's base URL to end in /v1 (POST /v1/chat/completions)",
    '/responses': "set the client's base URL to end in /v1 (POST /v1/responses)",
    '/tool_results': 'use POST /v1/tool_results',
    '/messages': 'use POST /v1/messages; Anthropic clients append /v1/messages to their base URL',
    '/models': "set the client's base URL to end in /v1 (GET /v1/models)",
    '/v1':
      'this is the base URL itself; clients append /chat/completions or /responses to it (Anthropic clients leave /v1 out)',
    '/v1/completions': 'legacy completions are not served; use POST /v1/chat/completions',
    '/v1/embeddings': "embeddings are not served; point the client's embedding model elsewhere",
    '/v1/messages/batches': 'batches are not served; use POST /v1/messages',
    '/v1/complete': 'legacy completions are not served; use POST /v1/messages',
    '/api/chat': 'this is not an Ollama server; use the OpenAI-compatible base URL ending in /v1',
    '/inspector': inspectorHint,
    '/v1beta':
      "this is the base URL itself; Google's clients append /v1beta/models/MODEL:generateContent to the address alone",
    '/api/tags': 'this is not an Ollama server; use the OpenAI-compatible base URL ending in /v1',
  }),
)

/** The path of an Anthropic client whose base URL ends in /v1. */
const messagesTwice = /^\S+ (?:\/v1){2,}\/messages(\/|$)/

/** For routes with an id in their path, and for paths that look like one. */
const hintPatterns: readonly (readonly [RegExp, string])[] = [
  [messagesTwice, 'the base URL has /v1 twice; Anthropic clients append /v1/messages themselves'],
  [/^\S+ (?:\/v1){2,}(\/|$)/, 'the base URL has /v1 twice; leave one out'],
  [
    /^\S+ \/v1\/conversations(\/|$)/,
    'conversations are not kept as such; use previous_response_id, or send the whole input',
  ],
  [
    /^\S+ \/v1beta\/\S*:(?:batchE|e)mbedContents?$/,
    "embeddings are not served; point the client's embedding model elsewhere",
  ],
  [/^\S+ \/v1beta\/(?:cachedContents|files)(\/|$)/, 'nothing is stored here; send the contents themselves'],
  [/^\S+ \/v1beta\/interactions(\/|$)/, 'interactions are not served; use generateContent'],
  [/^\S+ \/inspector\//, inspectorHint],
]

const hintFor = (method: string, path: string) =>
  hints.get(path) ?? hintPatterns.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1]

/** The error for an unknown route, with a hint if the path is a known mistake. */
export function noRoute(
  method: string,
  path: string,
  { methods, inspects }: { methods: readonly string[]; inspects: boolean },
): GatewayError {
  const known = hintFor(method, path.replace(/(?<!\/)\/+$/, ''))
  const hint = inspects && known === inspectorHint ? undefined : known
  const others = hint === undefined ? methods : []
  if (others.length > 0)
    return new GatewayError('method-not-allowed', `${path} takes ${others.join(', ')}, not ${method}.`)
  const shown = path.slice(0, 200)
  return new GatewayError(
    // Claude Code shows any 404 as an unknown model, whatever the message is.
    messagesTwice.test(`${method} ${path}`) ? 'invalid-request' : 'not-found',
    `Nothing is served at ${method} ${shown}${hint ? `: ${hint}` : '; GET / lists the routes'}.`,
  )
}
