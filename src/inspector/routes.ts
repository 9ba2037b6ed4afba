// The routes of the inspector. As in the gateway's own table, a route that is not marked as open requires a key, or a login.

import { isObject } from '../base/json.ts'
import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { readJsonBody } from '../http/json-body.ts'
import { respond } from '../http/respond.ts'
import type { HttpRoute } from '../http/route.ts'
import type { Scrubber } from '../observe/scrub.ts'
import { scrubbedFrames, tapeText } from '../tapes/write.ts'
import type { SessionsView, TurnDetail, TurnSummary, TurnsAnswer } from './api.ts'
import { type AssetName, serveAsset } from './assets.ts'
import { attemptsOf } from './attempts.ts'
import { comparisonRoutes } from './comparison-routes.ts'
import { conversationRoutes } from './conversation-routes.ts'
import { type FiguresSource, figuresRoutes } from './figures-routes.ts'
import type { Live } from './live.ts'
import { type LoginDesk, linkMs, type Scope, setCookie } from './login.ts'
import { mergeAnswers, mergeSessions } from './merged-turns.ts'
import type { Peers } from './peers.ts'
import { Renderings, respondSlowly } from './renderings.ts'
import { searchRoutes } from './search-routes.ts'
import { hasRun, showFrames } from './show-frames.ts'
import { transcriptRoutes } from './transcript-routes.ts'
import type { Kept, KeptTape, TurnShelf } from './turn-shelf.ts'
import { seenTurn } from './viewer.ts'

export interface Parts {
  shelf: TurnShelf
  summary(turnId: string, scope: Scope): TurnSummary | undefined
  all(scope: Scope): TurnsAnswer
  sessions(scope: Scope): SessionsView[]
  /** Tapes from disk have none. */
  figures?: FiguresSource | undefined
  warm(): Promise<void>
  live: Live
  logins: LoginDesk
  scrubber: Scrubber
  /** Other processes that serve with this one. */
  peers?: Peers | undefined
  /** Routes that not every source of turns has. */
  more: readonly HttpRoute<unknown>[]
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
  routesOf(parts).map((route) => ({ ...withPeers(route, parts), headers: pageHeaders }))

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
    ...parts.more,
    ...searchRoutes(parts),
    ...conversationRoutes(parts),
    ...comparisonRoutes(parts),
    ...turnRoutes(parts),
  ]
}

/** A turn that is not here may be kept by another process: the page does not know which one it asks. */
function withPeers(route: Route, { peers, logins, shelf }: Parts): Route {
  if (!peers || route.method !== 'GET' || !route.path.startsWith(turnsPath)) return route
  return {
    ...route,
    handle: async (exchange, services, caller) => {
      const turnId = exchange.path.slice(turnsPath.length).split('/')[0] ?? ''
      const isAsked = !logins.isRelayed(exchange) && !shelf.get(turnId)
      const scope = logins.find(exchange)?.scope ?? { key: caller.key }
      if (isAsked && (await peers.pass(exchange, scope))) return
      await route.handle(exchange, services, caller)
    },
  }
}

function loginRoutes(logins: LoginDesk): Route[] {
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
      handle: async (exchange, _services, { key }) => {
        const token = await logins.link({ key })
        // The only secret that a response may contain: it is new, so no log has seen it.
        respond(exchange, 200, 'application/json', JSON.stringify({ token, expiresInSeconds: linkMs / 1000 }))
      },
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
  const peersOf = (exchange: Exchange) => (logins.isRelayed(exchange) ? undefined : parts.peers)
  return [
    ...(parts.figures ? figuresRoutes(parts.figures, { scopeOf, json, peersOf }) : []),
    {
      method: 'GET',
      path: '/inspector/turns',
      page: true,
      handle: async (exchange, _services, { key }) => {
        const scope = scopeOf(exchange, key)
        await parts.warm()
        const collected = await peersOf(exchange)?.collect(exchange, scope)
        json(exchange, mergeAnswers(parts.all(scope), collected))
      },
    },
    ...transcriptRoutes({ ...parts, scopeOf }),
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
      handle: async (exchange, _services, { key }) => {
        const scope = scopeOf(exchange, key)
        const collected = await peersOf(exchange)?.collect(exchange, scope)
        const others = (collected?.answers ?? []).filter(Array.isArray) as SessionsView[][]
        json(exchange, mergeSessions([parts.sessions(scope), ...others]))
      },
    },
    {
      method: 'GET',
      path: '/inspector/events',
      page: true,
      handle: async (exchange, _services, { key }) => {
        const session = logins.find(exchange)
        await parts.warm()
        if (logins.find(exchange) !== session)
          throw new GatewayError(
            'unauthenticated',
            'This login has ended; `dragoman inspect` gives a new link.',
          )
        return live.serve(exchange, session?.scope ?? { key }, {
          peers: peersOf(exchange),
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

async function login(exchange: Exchange, logins: LoginDesk): Promise<void> {
  const { json } = await readJsonBody(exchange, loginLimits)
  const token = isObject(json) ? json.token : undefined
  if (typeof token !== 'string') throw new GatewayError('invalid-request', 'Send {"token": "…"} of a link.')
  const found = await logins.redeem(token)
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
  const { kept, summary: known } = seenTurn(turnId, scope, { shelf, summary })
  // A running turn may have grown by the next request, and a finished one may have been pinned.
  const pinned = known.pinned ? 'pinned' : ''
  const key = kept.tape.isOver ? `${exchange.path} ${JSON.stringify(scope)} ${pinned}` : undefined
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
async function withEarlierTapes(
  tape: KeptTape,
  find: (turnId: string) => KeptTape | undefined,
): Promise<KeptTape[]> {
  const { earlierTurn } = await import('../tapes/earlier-turns.ts')
  const tapes = [tape]
  for (let at: KeptTape | undefined = tape; at; ) {
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
    attempts: attemptsOf(frames),
  }
}
