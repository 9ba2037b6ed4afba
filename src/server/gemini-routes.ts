// The routes of the Gemini API. The model is in the path, with its slashes as they are.

import { GatewayError } from '../core/errors.ts'
import type { Door } from '../doors/door.ts'
import { type GeminiTarget, geminiDoor } from '../doors/gemini.ts'
import { geminiModelList, toGeminiModel } from '../doors/gemini-models.ts'
import type { Exchange } from '../http/exchange.ts'
import { respondJson } from '../http/respond.ts'
import { endsInVerb, geminiPrefix, prefixes, verbs } from './gemini-path.ts'
import { listedModels, oneModel } from './listed-models.ts'
import { idIn } from './path-id.ts'
import type { Route } from './routes.ts'
import { serveCount } from './serve-count.ts'
import { turnRoute } from './turn-route.ts'

export const geminiRoutes: readonly Route[] = [
  ...prefixes.flatMap(callRoutes),
  {
    method: 'GET',
    path: geminiPrefix,
    keyInQuery: true,
    handle: async (exchange, { catalog, scrubber }) => {
      const list = geminiModelList(await listedModels(catalog), exchange.query)
      respondJson(exchange, 200, scrubber.scrubListing(list))
    },
  },
  {
    method: 'GET',
    path: `${geminiPrefix}/*`,
    keyInQuery: true,
    handle: async (exchange, { catalog, scrubber }) => {
      if (endsInVerb(exchange.path))
        throw new GatewayError('method-not-allowed', `${exchange.path} takes POST, not GET.`)
      const model = await oneModel(catalog, idIn(exchange, `${geminiPrefix}/`).replace(/^models\//, ''))
      respondJson(exchange, 200, scrubber.scrubListing(toGeminiModel(model)))
    },
  },
]

function callRoutes(prefix: string): Route[] {
  const door = (exchange: Exchange, verb: string) =>
    geminiDoor({ model: idIn(exchange, `${prefix}/`, verb), ...formOf(exchange, verb) })
  const turn = (verb: string): Route =>
    turnRoute({ path: `${prefix}/*${verb}`, keyInQuery: true }, (exchange) => {
      try {
        return door(exchange, verb)
      } catch (error) {
        return refusingDoor(exchange, verb, error)
      }
    })
  return [
    turn(verbs.whole),
    turn(verbs.stream),
    {
      method: 'POST',
      path: `${prefix}/*${verbs.count}`,
      keyInQuery: true,
      handle: (exchange, services, caller) => {
        const counted = { door: door(exchange, verbs.count), shape: totalTokens }
        return serveCount(exchange, counted, caller, services)
      },
    },
  ]
}

/** For a path that cannot be decoded: the request is a turn that this door refuses. */
const refusingDoor = (exchange: Exchange, verb: string, error: unknown): Door => ({
  ...geminiDoor({ model: exchange.path, ...formOf(exchange, verb) }),
  read() {
    throw error
  },
})

const formOf = ({ query }: Exchange, verb: string): Omit<GeminiTarget, 'model'> => ({
  stream: verb === verbs.stream,
  form: new URLSearchParams(query).get('alt') === 'sse' ? 'sse' : 'array',
})

const totalTokens = (tokens: number) => ({ totalTokens: tokens })
