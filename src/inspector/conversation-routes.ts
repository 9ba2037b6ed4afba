// A conversation as one file of tapes, and the outline of a turn, of which the page compares two.

import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import type { HttpRoute } from '../http/route.ts'
import { scrubbedFrames, tapeText } from '../tapes/write.ts'
import type { Scope } from './login.ts'
import { Renderings, writeSlowly } from './renderings.ts'
import { peersOf, scopeOf, seenTurn, type Viewing } from './viewer.ts'

const conversationPattern = /^\/inspector\/conversations\/(turn_[A-Za-z0-9]{1,64})\/tape$/
const outlinePattern = /^\/inspector\/turns\/(turn_[A-Za-z0-9]{1,64})\/outline$/

export function conversationRoutes(viewing: Viewing): HttpRoute<unknown>[] {
  const renderings = new Renderings()
  return [
    {
      method: 'GET',
      path: '/inspector/conversations/*/tape',
      page: true,
      handle: (exchange, _services, { key }) =>
        exportConversation(exchange, scopeOf(exchange, key, viewing), viewing, renderings),
    },
    {
      method: 'GET',
      path: '/inspector/turns/*/outline',
      page: true,
      handle: async (exchange, _services, { key }) => {
        const [, turnId = ''] = outlinePattern.exec(exchange.path) ?? []
        const { kept } = seenTurn(turnId, scopeOf(exchange, key, viewing), viewing)
        const { outlineOf } = await import('./outline.ts')
        const text = await renderings.render(undefined, async () =>
          JSON.stringify(outlineOf(await scrubbedFrames(kept.tape, viewing.scrubber))),
        )
        exchange.sink.start(200, { ...exchange.head.headers, 'content-type': 'application/json' })
        await writeSlowly(exchange.sink, await viewing.scrubber.scrubInSlices(text))
      },
    },
  ]
}

/** One turn after the other: together they may be as long as the inspector's memory. */
async function exportConversation(
  exchange: Exchange,
  scope: Scope,
  viewing: Viewing,
  renderings: Renderings,
): Promise<void> {
  const { shelf, summary, scrubber } = viewing
  const [, id = ''] = conversationPattern.exec(exchange.path) ?? []
  const kept = shelf.all().filter(({ tape }) => summary(tape.turn, scope)?.conversation === id)
  if (kept.length === 0 && (await peersOf(exchange, viewing)?.pass(exchange, scope))) return
  if (kept.length === 0)
    throw new GatewayError(
      'not-found',
      'No turn of this conversation is kept: newer ones needed their place, or they were cleared.',
    )
  const { sink, head } = exchange
  head.set('content-disposition', `attachment; filename="conversation-${id}.jsonl"`)
  sink.start(200, { ...head.headers, 'content-type': 'application/x-ndjson; charset=utf-8' })
  for (const { tape } of kept) {
    if (sink.gone) return
    const text = await renderings.render(undefined, () => tapeText(tape, scrubber))
    await writeSlowly(sink, text, { ends: false })
  }
  sink.end()
}
