// The facts of a turn.

import { costWords } from '../../observe/cost.ts'
import type { TurnSummary } from '../api.ts'
import { clock, count, duration, plural, size } from './format.ts'

export function factsOf(turn: TurnSummary): [string, string][] {
  const { backend, upstreamModel, inputTokens, outputTokens, estimated, calls, session, tries } = turn
  return [
    ['Client', `${turn.client ?? 'unknown'}, by ${turn.door}${turn.stream ? '' : ', not streamed'}`],
    ['Model', turn.model],
    [
      'Backend',
      backend === undefined
        ? turn.running
          ? 'none yet'
          : 'none'
        : `${backend}/${upstreamModel}${turn.kind ? ` (${turn.kind})` : ''}`,
    ],
    ['Started', clock(turn.startedAt)],
    ['Duration', duration(turn.milliseconds)],
    ['First output', duration(turn.firstOutputMs)],
    [
      'Tokens',
      inputTokens === undefined
        ? '–'
        : `${count(inputTokens)} in, ${count(outputTokens)} out${estimated ? ' (estimated)' : ''}`,
    ],
    ...tokenParts(turn),
    ...(turn.cost ? [['Cost', turnCost(turn.cost)] as [string, string]] : []),
    ['Calls', calls.length > 0 ? calls.join(', ') : 'none'],
    ...(tries > 1 ? [['Attempts', String(tries)] as [string, string]] : []),
    ...(session ? [['Session', sessionWords(session)] as [string, string]] : []),
    ['Key', turn.key],
    ['Tape', `${plural(turn.frames, 'frame')}, ${size(turn.bytes)}${turn.cut ? ', cut' : ''}`],
    ['Turn', turn.id],
  ]
}

export function Facts({ turn }: { turn: TurnSummary }) {
  return (
    <dl class="facts">
      {factsOf(turn).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The parts of the tokens, if the service reports them. */
function tokenParts({ cacheReadTokens, cacheWriteTokens, reasoningTokens }: TurnSummary): [string, string][] {
  const parts: [string, number | undefined][] = [
    ['from the cache', cacheReadTokens],
    ['written to it', cacheWriteTokens],
    ['reasoning', reasoningTokens],
  ]
  const words = parts.flatMap(([name, tokens]) => (tokens === undefined ? [] : [`${count(tokens)} ${name}`]))
  return words.length === 0 ? [] : [['Of them', words.join(', ')]]
}

function turnCost(cost: NonNullable<TurnSummary['cost']>): string {
  if ('unknown' in cost) return costWords(cost)
  const by = cost.date === undefined ? 'configured price' : `list price of ${cost.date}`
  return `${costWords(cost)} (${by})`
}

const sessionWords = ({ state, id, why }: NonNullable<TurnSummary['session']>) =>
  `${state}, ${id}${why === undefined ? '' : `: ${why}`}`
