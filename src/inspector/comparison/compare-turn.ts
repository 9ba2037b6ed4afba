// Compares both sides of a turn: the client's request with one that went upstream, and that one's answer with the client's.

import { inSlices, type Steps } from '../../base/slices.ts'
import type { Frame } from '../../tapes/frame.ts'
import type { RunDecoder } from '../show-frames.ts'
import { hasRun } from '../show-frames.ts'
import type { GroupName } from './api.ts'
import { compareHeaders } from './compare-headers.ts'
import { compareUnits } from './compare-units.ts'
import { compareWire } from './compare-wire.ts'
import { findInside } from './inside-text.ts'
import { joinAnswer } from './joined-answer.ts'
import { attachNotes, type NotePlaces } from './note-places.ts'
import { answerUnits, requestUnits } from './outline.ts'
import type { Row } from './row.ts'
import { runDocument } from './run-document.ts'
import { jsonOf } from './stream-events.ts'
import {
  clientDialect,
  defaultExchange,
  type Exchange,
  type Traffic,
  trafficOf,
  upstreamDialect,
} from './traffic.ts'

export interface Group {
  name: GroupName
  problem?: string | undefined
  rows: Row[]
}

export interface Comparison {
  traffic: Traffic
  exchange: Exchange | undefined
  groups: Group[]
  notes: NotePlaces
}

/** Undefined if the exchange does not exist. */
export async function compareTurn(
  frames: readonly Frame[],
  number?: number,
): Promise<Comparison | undefined> {
  const run = hasRun(frames) ? (await import('../decode-run.ts')).runDecoder : undefined
  return inSlices(compareTraffic(trafficOf(frames), number, run))
}

export function* compareTraffic(
  traffic: Traffic,
  number?: number,
  run?: RunDecoder,
): Steps<Comparison | undefined> {
  const { client, exchanges, notes } = traffic
  const chosen =
    number === undefined ? defaultExchange(exchanges) : exchanges.find((one) => one.number === number)
  if (number !== undefined && !chosen) return undefined
  const groups: Group[] = []
  for (const group of chosen ? groupsOf(traffic, chosen, run) : unreached(client)) {
    groups.push(group())
    yield
  }
  return { traffic, exchange: chosen, groups, notes: attachNotes(notes, groups) }
}

const unreached = ({ request }: Traffic['client']) => [
  () =>
    problem('request', request ? 'The request reached no upstream.' : 'The request was too long to keep.'),
  () => problem('answer', 'No upstream answered.'),
]

const problem = (name: GroupName, why: string): Group => ({ name, problem: why, rows: [] })

function groupsOf({ client }: Traffic, exchange: Exchange, decoder: RunDecoder | undefined): (() => Group)[] {
  const run = exchange.isRun && decoder ? runDocument(exchange, decoder) : undefined
  const sameDialect =
    clientDialect(client) === upstreamDialect(exchange) && clientDialect(client) !== 'unknown'
  return [
    () =>
      requestGroup(client.request?.body, run?.request ?? bodyOf(exchange.request?.body), {
        sameDialect,
        continues: run?.continues === true || isContinuedChat(exchange),
      }),
    () => answerGroup(client, exchange, { sameDialect, ...(run ? { run: run.answer } : {}) }),
    () => ({ name: 'headers', rows: compareHeaders(client, exchange) }),
  ]
}

const bodyOf = (text: string | undefined) => (text === undefined ? undefined : (jsonOf(text) ?? text))

/** The Qwen web chat keeps the conversation: later messages name the one before. */
function isContinuedChat({ kind, request }: Exchange): boolean {
  if (kind !== 'qwen-web') return false
  const body = bodyOf(request?.body) as { parent_id?: unknown } | undefined
  return typeof body?.parent_id === 'string'
}

function requestGroup(
  text: string | undefined,
  upstream: unknown,
  how: { sameDialect: boolean; continues: boolean },
): Group {
  if (text === undefined) return problem('request', 'The request was too long to keep.')
  if (upstream === undefined) return problem('request', 'What went upstream is not on the tape.')
  const client = bodyOf(text)
  const rows = compareUnits(requestUnits(client), requestUnits(upstream), {
    direction: 'to upstream',
    ...how,
  })
  return { name: 'request', rows: findInside(rows) }
}

function answerGroup(
  client: Traffic['client'],
  exchange: Exchange,
  { sameDialect, run }: { sameDialect: boolean; run?: unknown },
): Group {
  if (!client.response) return problem('answer', 'The client has no answer yet, or it was too long to keep.')
  if (!exchange.response && !exchange.isRun)
    return problem('answer', exchange.error ?? 'The upstream has not answered yet.')
  const ours = joinAnswer(client.text, client.stream)
  const asked = isStreamAsked(exchange)
  const theirs = run === undefined ? joinAnswer(exchange.text, asked) : { whole: run, facts: [] }
  const rows = compareUnits(answerUnits(ours.whole), answerUnits(theirs.whole), {
    direction: 'to client',
    sameDialect,
  })
  return { name: 'answer', rows: [...rows, ...compareWire(ours.facts, theirs.facts, sameDialect)] }
}

function isStreamAsked({ request }: Exchange): boolean {
  const body = bodyOf(request?.body) as { stream?: unknown } | undefined
  return typeof body === 'object' && body?.stream === true
}
