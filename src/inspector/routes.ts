// The routes of the inspector. As in the gateway's own table, a route that is not marked as open requires a key, or a login.

import { isObject } from '../base/json.ts'
import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { readJsonBody } from '../http/json-body.ts'
import { respond } from '../http/respond.ts'
import type { HttpRoute } from '../http/route.ts'
import type { Scrubber } from '../observe/scrub.ts'
import type { Tape } from '../tapes/tape.ts'
import { scrubbedFrames, tapeText } from '../tapes/write.ts'
import type { SessionsView, TurnDetail, TurnSummary, TurnsAnswer } from './api.ts'
import { type AssetName, serveAsset } from './assets.ts'
import type { Live } from './live.ts'
import { type Logins, linkMs, type Scope, setCookie } from './login.ts'
import { Renderings, writeSlowly } from './renderings.ts'
import type { Kept, Shelf } from './shelf.ts'
import { hasRun, showFrames } from './show-frames.ts'

interface Parts {
  shelf: Shelf
  summary(turnId: string, scope: Scope): TurnSummary | undefined
  all(scope: Scope): TurnsAnswer
  sessions(scope: Scope): SessionsView[]
  live: Live
  logins: Logins
  scrubber: Scrubber
}

const turnsPath = '/inspector/turns/'
const turnPattern = /^\/inspector\/turns\/(turn_[A-Za-z0-9]{1,64})(\/tape)?$/

/** Response headers of every page route. */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

export const createRoutes = (parts: Parts): HttpRoute<unknown>[] =>
  routesOf(parts).map((route) => ({ ...route, headers: pageHeaders }))

type Route = HttpRoute<unknown>

function routesOf(parts: Parts): Route[] {
  const asset = (path: string, name: AssetName, html?: true): Route => ({
    method: 'GET',
    path,
    ...(html && { html }),
    open: true,
    handle: (exchange) => serveAsset(exchange, name),
  })
  return [
    asset('/', 'index.html', true),
    asset('/inspector/app.js', 'app.js'),
    asset('/inspector/style.css', 'style.css'),
    ...loginRoutes(parts.logins),
    ...turnRoutes(parts),
  ]
}

function loginRoutes(logins: Logins): Route[] {
  return [
    {
      method: 'POST',
      path: '/inspector/login',
      open: true,
      page: true,
      handle: (exchange) => login(exchange, logins),
    },
    {
      method: 'POST',
      path: '/inspector/links',
      handle: (exchange, _services, { key }) =>
        // The only secret that a response may contain: it is new, so no log has seen it.
        respond(
          exchange,
          200,
          'application/json',
          JSON.stringify({ token: logins.link({ key }), expiresInSeconds: linkMs / 1000 }),
        ),
    },
    {
      method: 'POST',
      path: '/inspector/logout',
      page: true,
      handle: (exchange) => {
        const session = logins.find(exchange)
        if (session) logins.end(session)
        exchange.head.set('set-cookie', setCookie(exchange, ''))
        respond(exchange, 200, 'application/json', '{}')
      },
    },
  ]
}

function turnRoutes(parts: Parts): Route[] {
  const { logins, live } = parts
  const renderings = new Renderings()
  /** A caller with a key sees the turns of that key. */
  const scopeOf = (exchange: Exchange, key: string): Scope => logins.find(exchange)?.scope ?? { key }
  const json = (exchange: Exchange, body: unknown) =>
    respond(exchange, 200, 'application/json', parts.scrubber.scrub(JSON.stringify(body)))
  return [
    {
      method: 'GET',
      path: '/inspector/turns',
      page: true,
      handle: (exchange, _services, { key }) => json(exchange, parts.all(scopeOf(exchange, key))),
    },
    {
      method: 'GET',
      path: `${turnsPath}*`,
      page: true,
      handle: (exchange, _services, { key }) =>
        serveTurn(exchange, scopeOf(exchange, key), parts, renderings),
    },
    {
      method: 'GET',
      path: '/inspector/sessions',
      page: true,
      handle: (exchange, _services, { key }) => json(exchange, parts.sessions(scopeOf(exchange, key))),
    },
    {
      method: 'GET',
      path: '/inspector/events',
      page: true,
      handle: (exchange, _services, { key }) => {
        const session = logins.find(exchange)
        return live.serve(exchange, session?.scope ?? { key }, {
          onEnd: (listener) => {
            session?.onEnd.add(listener)
            return () => session?.onEnd.delete(listener)
          },
          touch: () => session && logins.touch(session),
        })
      },
    },
  ]
}

const loginLimits = { bytes: 4_096, values: 100 }

async function login(exchange: Exchange, logins: Logins): Promise<void> {
  const { json } = await readJsonBody(exchange, loginLimits)
  const token = isObject(json) ? json.token : undefined
  if (typeof token !== 'string') throw new GatewayError('invalid-request', 'Send {"token": "…"} of a link.')
  const found = logins.redeem(token)
  if ('problem' in found) {
    const status = found.problem === 'too-many' ? 429 : 403
    return respond(exchange, status, 'application/json', JSON.stringify(found))
  }
  exchange.head.set('set-cookie', setCookie(exchange, found.cookie))
  respond(exchange, 200, 'application/json', JSON.stringify({ page: found.page }))
}

async function serveTurn(
  exchange: Exchange,
  scope: Scope,
  { shelf, summary, scrubber }: Parts,
  renderings: Renderings,
): Promise<void> {
  const [, turnId = '', tape] = turnPattern.exec(exchange.path) ?? []
  const kept = shelf.get(turnId)
  const known = summary(turnId, scope)
  if (!kept || !known)
    throw new GatewayError(
      'not-found',
      'This turn is not kept: it was never seen, or newer ones needed its place.',
    )
  // A running turn may have grown by the next request.
  const key = kept.tape.isOver ? `${exchange.path} ${JSON.stringify(scope)}` : undefined
  if (tape === undefined) {
    const detail = await renderings.render(key, async () =>
      scrubber.scrubInSlices(JSON.stringify(await detailOf(kept, known, scrubber))),
    )
    return respondSlowly(exchange, 'application/json', detail)
  }
  exchange.head.set('content-disposition', `attachment; filename="${turnId}.jsonl"`)
  const text = await renderings.render(key, async () => {
    const tapes = await withEarlierTapes(kept.tape, (id) => summary(id, scope) && shelf.get(id)?.tape)
    const texts: string[] = []
    for (const one of tapes) texts.push(await tapeText(one, scrubber))
    return texts.join('')
  })
  await respondSlowly(exchange, 'application/x-ndjson; charset=utf-8', text)
}

/** What a replay needs: this tape, and stored tapes of the turns that it depends on. */
async function withEarlierTapes(tape: Tape, find: (turnId: string) => Tape | undefined): Promise<Tape[]> {
  const { earlierTurn } = await import('../tapes/earlier-turns.ts')
  const tapes = [tape]
  for (let at: Tape | undefined = tape; at; ) {
    const before = earlierTurn(at)
    at = before === undefined ? undefined : find(before)
    if (at && tapes.includes(at)) break
    if (at) tapes.unshift(at)
  }
  return tapes
}

async function detailOf({ tape }: Kept, summary: TurnSummary, scrubber: Scrubber): Promise<TurnDetail> {
  const frames = await scrubbedFrames(tape, scrubber)
  const run = hasRun(frames) ? (await import('./decode-run.ts')).runDecoder : undefined
  return {
    summary,
    recordedAt: tape.head.recordedAt,
    notes: frames.flatMap((frame) => (frame.side === 'gateway' && frame.do === 'note' ? [frame.text] : [])),
    // Scrubbed before it is cut: half a secret is not recognized.
    segments: tape.segments.map((segment) => ({
      ...segment,
      preview: scrubber.scrubBeginning(segment.preview),
    })),
    frames: showFrames(frames, run),
  }
}

async function respondSlowly(exchange: Exchange, type: string, text: string): Promise<void> {
  const { sink } = exchange
  if (sink.gone) return
  sink.start(200, {
    ...exchange.head.headers,
    'content-type': type,
    'content-length': String(Buffer.byteLength(text)),
  })
  await writeSlowly(sink, text)
}
