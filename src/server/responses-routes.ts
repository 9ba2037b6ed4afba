// The routes of the Responses API.

import { compactDoor } from '../doors/compaction.ts'
import {
  cancelResponse,
  deleteResponse,
  listInputItems,
  openaiResponsesDoor,
  retrieveResponse,
} from '../doors/openai-responses.ts'
import { respondJson } from '../http/respond.ts'
import { idIn } from './path-id.ts'
import type { Route } from './routes.ts'
import { serveCount } from './serve-count.ts'
import { turnRoute } from './turn-route.ts'

export const responsesPath = '/v1/responses'
const prefix = `${responsesPath}/`
const cancel = '/cancel'
const inputItems = '/input_items'

export const responsesRoutes: readonly Route[] = [
  turnRoute({ path: responsesPath }, (_exchange, services, caller) =>
    openaiResponsesDoor(services.responses.of(caller)),
  ),
  {
    method: 'POST',
    path: `${prefix}input_tokens`,
    handle: (exchange, services, caller) =>
      serveCount(
        exchange,
        {
          door: openaiResponsesDoor(services.responses.of(caller)),
          shape: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
        },
        caller,
        services,
      ),
  },
  turnRoute({ path: `${prefix}compact` }, (_exchange, services, caller) =>
    compactDoor(services.responses.of(caller)),
  ),
  {
    method: 'GET',
    path: `${prefix}*`,
    oneSegment: true,
    handle: async (exchange, { responses }, caller) =>
      respondJson(exchange, 200, await retrieveResponse(responses.of(caller), idIn(exchange, prefix))),
  },
  {
    method: 'DELETE',
    path: `${prefix}*`,
    oneSegment: true,
    handle: async (exchange, { responses }, caller) =>
      respondJson(exchange, 200, await deleteResponse(responses.of(caller), idIn(exchange, prefix))),
  },
  {
    method: 'GET',
    path: `${prefix}*${inputItems}`,
    oneSegment: true,
    handle: async (exchange, { responses }, caller) => {
      const id = idIn(exchange, prefix, inputItems)
      respondJson(exchange, 200, await listInputItems(responses.of(caller), id, exchange.query))
    },
  },
  {
    method: 'POST',
    path: `${prefix}*${cancel}`,
    oneSegment: true,
    handle: (exchange, { responses }, caller) =>
      cancelResponse(responses.of(caller), idIn(exchange, prefix, cancel)),
  },
]
