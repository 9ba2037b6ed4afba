// The gateway's routes. Admission goes by this table, so no route can miss authentication.

import type { Cluster } from '../cluster/cluster.ts'
import { inspectorPath, responsesPath, resultsPath, turnsPath } from '../cluster/relay-messages.ts'
import type { Backend } from '../core/backend.ts'
import { anthropicMessagesDoor } from '../doors/anthropic-messages.ts'
import { clientName, clientTraits } from '../doors/clients.ts'
import { geminiModelList, toGeminiModel } from '../doors/gemini-models.ts'
import { modelList, toAnthropicModel, toChatModel } from '../doors/models.ts'
import { openaiChatDoor } from '../doors/openai-chat.ts'
import type { ResponseStore } from '../doors/response-store.ts'
import type { Exchange } from '../http/exchange.ts'
import { respond, respondJson, respondText } from '../http/respond.ts'
import type { HttpRoute } from '../http/route.ts'
import type { Inspector } from '../inspector/inspector.ts'
import { geminiRoutes } from './gemini-routes.ts'
import { listedModels, oneModel } from './listed-models.ts'
import { idIn } from './path-id.ts'
import { speaksAnthropic, speaksGoogle } from './refuse.ts'
import { responsesRoutes } from './responses-routes.ts'
import { serveCount } from './serve-count.ts'
import { serveToolResults } from './serve-tool-results.ts'
import type { TurnServices } from './serving.ts'
import { turnRoute } from './turn-route.ts'

export interface RouteServices extends TurnServices {
  version: string
  draining(): boolean
  /** Backends by name: of the configuration in force, and earlier ones that still have runs. */
  backends(): Iterable<readonly [string, Backend]>
  renderMetrics(): string | Promise<string>
  /** Responses that clients may refer to by id. */
  responses: ResponseStore
  /** Responses that a WebSocket connection keeps for itself. */
  socketResponses: ResponseStore
  /** Undefined for a single instance. */
  cluster?: Cluster | undefined
  /** Undefined if it is off. */
  inspector?: Inspector | undefined
}

export type Route = HttpRoute<RouteServices>

/** Of Prometheus' text format. */
const metricsType = 'text/plain; version=0.0.4; charset=utf-8'
const modelsPrefix = '/v1/models/'
const shapeFor = (exchange: Exchange) => (speaksAnthropic(exchange) ? 'anthropic' : 'openai')

export const routes: readonly Route[] = [
  turnRoute({ path: '/v1/chat/completions' }, () => openaiChatDoor),
  turnRoute({ path: '/v1/messages' }, () => anthropicMessagesDoor),
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
    handle: (exchange) => respondJson(exchange, 200, { status: 'ok', gateway: 'dragoman' }),
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
  {
    method: 'POST',
    path: inspectorPath,
    peer: true,
    handle: (exchange, { cluster, inspector }) => cluster?.serveInspection(exchange, inspector?.servePeer),
  },
]

const clientRoutes = routes.filter((route) => !route.peer)
