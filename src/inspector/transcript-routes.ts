// The transcript of a turn, and its long parts in full.

import { parseJson } from '../base/json.ts'
import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import type { HttpRoute } from '../http/route.ts'
import type { Scrubber } from '../observe/scrub.ts'
import type { TurnSummary, TurnsAnswer } from './api.ts'
import type { Scope } from './login.ts'
import { Renderings, respondSlowly } from './renderings.ts'
import type { TapedTurn } from './transcript/taped-turn.ts'
import { Transcripts } from './transcript/transcripts.ts'
import type { Transcript } from './transcript-api.ts'
import type { Kept, TurnShelf } from './turn-shelf.ts'

interface TranscriptSource {
  shelf: TurnShelf
  summary(turnId: string, scope: Scope): TurnSummary | undefined
  all(scope: Scope): TurnsAnswer
  scrubber: Scrubber
  scopeOf(exchange: Exchange, key: string): Scope
}

const path = /^\/inspector\/turns\/(turn_[A-Za-z0-9]{1,64})\/(?:transcript|parts\/(\d{1,9}))$/

export function transcriptRoutes(source: TranscriptSource): HttpRoute<unknown>[] {
  const transcripts = new Transcripts(source.scrubber)
  const renderings = new Renderings()
  return [
    {
      method: 'GET',
      path: '/inspector/turns/*/transcript',
      oneSegment: true,
      page: true,
      handle: async (exchange, _services, { key }) => {
        const asked = askedOf(exchange, key, source)
        const shared = asked.tape.isOver ? `${exchange.path} ${JSON.stringify(asked.scope)}` : undefined
        const text = await renderings.render(shared, () => transcriptText(asked, source, transcripts))
        await respondSlowly(exchange, 'application/json', text)
      },
    },
    {
      method: 'GET',
      path: '/inspector/turns/*/parts/*',
      page: true,
      handle: async (exchange, _services, { key }) => {
        const { tape, find, number } = askedOf(exchange, key, source)
        const part = await transcripts.part(tape, number, find)
        if (!part)
          throw new GatewayError('not-found', 'This turn has no such part; load its transcript again.')
        const isJson = part.kind === 'call' || part.kind === 'opaque'
        const text = await renderings.render(undefined, () => source.scrubber.scrubInSlices(part.text))
        const type =
          isJson && parseJson(text) !== undefined ? 'application/json' : 'text/plain; charset=utf-8'
        await respondSlowly(exchange, type, text)
      },
    },
  ]
}

interface Asked {
  scope: Scope
  summary: TurnSummary
  kept: Kept
  tape: TapedTurn
  /** A turn of the same key: a request may name the answers of others, and what was read is remembered for all viewers. */
  find(turn: string): TapedTurn | undefined
  number: number
}

function askedOf(exchange: Exchange, key: string, { shelf, summary, scopeOf }: TranscriptSource): Asked {
  const [, turnId = '', number] = path.exec(exchange.path) ?? []
  const scope = scopeOf(exchange, key)
  const [kept, known] = [shelf.get(turnId), summary(turnId, scope)]
  if (!kept || !known)
    throw new GatewayError(
      'not-found',
      'This turn is not kept: it was never seen, or newer ones needed its place.',
    )
  const find = (turn: string) => {
    const found = summary(turn, scope)?.key === known.key ? shelf.get(turn) : undefined
    return found && taped(found)
  }
  return { scope, summary: known, kept, tape: taped(kept), find, number: Number(number ?? 0) }
}

const taped = ({ tape, startedAt }: Kept): TapedTurn => ({
  turn: tape.turn,
  startedAt,
  isOver: tape.isOver,
  frames: tape.frames,
})

async function transcriptText(
  { scope, summary, kept, tape, find }: Asked,
  { all, scrubber }: TranscriptSource,
  transcripts: Transcripts,
): Promise<string> {
  const turns = all(scope)
    .turns.filter(({ conversation }) => conversation === summary.conversation)
    .reverse()
    .flatMap(({ id }) => find(id) ?? [])
  const content = await transcripts.of(tape, turns, find)
  const segments = kept.tape.segments.map((segment) => ({
    ...segment,
    preview: scrubber.scrubBeginning(segment.preview),
  }))
  const transcript: Transcript = { summary, segments, ...content }
  return scrubber.scrubInSlices(JSON.stringify(transcript))
}
