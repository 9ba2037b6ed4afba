// Sends requests again for the inspector, in-process. The answers are discarded: the inspector shows them as turns.

import { webExchange } from '../http/exchange.ts'
import type { Send } from '../inspector/resend-routes.ts'
import type { RequestHandler } from './handle-request.ts'

export const resendBy =
  (requests: Pick<RequestHandler, 'handle'>): Send =>
  ({ path, ...request }, resending) => {
    const answer = (response: Response) =>
      void response.body?.pipeTo(new WritableStream()).catch(() => undefined)
    const sent = new Request(`http://127.0.0.1${path}`, { method: 'POST', ...request })
    const exchange = webExchange(sent, { answer, refuse: () => undefined }, resending)
    const ended = requests.handle(exchange).catch(() => undefined)
    return { turn: () => exchange.head.headers['x-dragoman-turn'], ended }
  }
