// The facts of a turn.

import type { TurnSummary } from '../api.ts'
import { clock, count, duration, plural, size } from './format.ts'

export function Facts({ turn }: { turn: TurnSummary }) {
  const { backend, upstreamModel, inputTokens, outputTokens, estimated, calls, session, tries } = turn
  const facts: [string, string][] = [
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
    ['Calls', calls.length > 0 ? calls.join(', ') : 'none'],
    ...(tries > 1 ? [['Attempts', String(tries)] as [string, string]] : []),
    ...(session ? [['Session', sessionWords(session)] as [string, string]] : []),
    ['Key', turn.key],
    ['Tape', `${plural(turn.frames, 'frame')}, ${size(turn.bytes)}${turn.cut ? ', cut' : ''}`],
    ['Turn', turn.id],
  ]
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const sessionWords = ({ state, id, why }: NonNullable<TurnSummary['session']>) =>
  `${state}, ${id}${why === undefined ? '' : `: ${why}`}`
