// The routes of Ollama's API. They exist only if the configuration asks for them.

import type { Caller } from '../core/caller.ts'
import { GatewayError } from '../core/errors.ts'
import type { Door } from '../doors/door.ts'
import { ollamaChatDoor, ollamaGenerateDoor, untagged } from '../doors/ollama.ts'
import { ollamaModel, ollamaRunning, ollamaTags } from '../doors/ollama-models.ts'
import type { Exchange } from '../http/exchange.ts'
import { type BodySoFar, type JsonBody, readJsonBody } from '../http/json-body.ts'
import { respond, respondJson } from '../http/respond.ts'
import { loadedAnswer } from '../protocols/ollama/answer.ts'
import { preloadOf } from '../protocols/ollama/request-in.ts'
import { modelName, object } from '../protocols/requests/decode.ts'
import { beginTurn } from './begin-turn.ts'
import { listedModels, oneModel } from './listed-models.ts'
import { refuseTurn } from './refuse-turn.ts'
import type { Route, RouteServices } from './routes.ts'
import { serveTurn } from './serve-turn.ts'
import { turnRoute } from './turn-route.ts'

/** Clients compare it with the version that has what they need: this one has thinking, tools and structured answers. */
const apiVersion = '0.13.0'

const listing = (path: string, handle: Route['handle']): Route[] =>
  (['GET', 'HEAD'] as const).map((method) => ({ method, path, handle }))

export const ollamaRoutes: readonly Route[] = [
  ...listing('/api/version', (exchange) => respondJson(exchange, 200, { version: apiVersion })),
  ...listing('/api/tags', async (exchange, { catalog, scrubber }) =>
    respondJson(exchange, 200, scrubber.scrubListing(ollamaTags(await listedModels(catalog)))),
  ),
  ...listing('/api/ps', async (exchange, { catalog, scrubber }) =>
    respondJson(exchange, 200, scrubber.scrubListing(ollamaRunning(await listedModels(catalog)))),
  ),
  {
    method: 'POST',
    path: '/api/show',
    handle: async (exchange, services) => {
      const model = await oneModel(services.catalog, await nameIn(exchange, services))
      respondJson(exchange, 200, services.scrubber.scrubListing(ollamaModel(model)))
    },
  },
  {
    method: 'POST',
    path: '/api/pull',
    handle: async (exchange, services) => {
      await oneModel(services.catalog, await nameIn(exchange, services))
      respond(exchange, 200, 'application/x-ndjson', '{"status":"success"}\n')
    },
  },
  answerRoute('/api/chat', ollamaChatDoor, 'chat'),
  answerRoute('/api/generate', ollamaGenerateDoor, 'generate'),
]

/** Old clients call the model `name`. */
async function nameIn(exchange: Exchange, { bodyLimits }: RouteServices): Promise<string> {
  const { json } = await readJsonBody(exchange, bodyLimits)
  const fields = object(json, 'body')
  return untagged(modelName(fields.model ?? fields.name, 'model'))
}

/** A request without a question is none for a model: it is answered here, and is no turn. */
function answerRoute(path: string, door: Door, form: 'chat' | 'generate'): Route {
  return {
    ...turnRoute({ path }, () => door),
    handle: async (exchange, services, caller) => {
      const json = await bodyOrRefusal(exchange, door, caller, services)
      if (!json) return
      const preload = preloadIn(json)
      if (!preload) return serveTurn({ ...exchange, json }, door, caller, services)
      await oneModel(services.catalog, untagged(preload.model))
      respondJson(exchange, 200, loadedAnswer(preload, form, new Date()))
    },
  }
}

/** Undefined if the request was refused. */
async function bodyOrRefusal(
  exchange: Exchange,
  door: Door,
  caller: Caller,
  services: RouteServices,
): Promise<JsonBody | undefined> {
  const soFar: BodySoFar = { text: '', isWhole: false }
  try {
    return await readJsonBody(exchange, services.bodyLimits, soFar)
  } catch (thrown) {
    refuseTurn(beginTurn(exchange, door, caller, services), GatewayError.from(thrown), soFar)
    return undefined
  }
}

/** What is wrong with a request is said by the door. */
function preloadIn({ json }: JsonBody): ReturnType<typeof preloadOf> {
  try {
    return preloadOf(json)
  } catch {
    return undefined
  }
}
