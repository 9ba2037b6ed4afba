// Three small charts of the stored turns: rate, time to first output, duration.

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { TurnSummary } from '../api.ts'
import { count, duration, percentile } from './format.ts'

const minutes = 20
const minuteMs = 60_000
const newest = 40
const [width, height] = [120, 28]

/** The current minute: charts move on without new turns. */
function useMinute(): number {
  const [minute, setMinute] = useState(() => Math.floor(Date.now() / minuteMs))
  useEffect(() => {
    const timer = setInterval(() => setMinute(Math.floor(Date.now() / minuteMs)), 5_000)
    return () => clearInterval(timer)
  }, [])
  return minute
}

export function Charts({ turns }: { turns: ReadonlyMap<string, TurnSummary> }) {
  const minute = useMinute()
  const figures = useMemo(() => figuresOf([...turns.values()], minute), [turns, minute])
  const { perMinute, firsts, p50, p95, input, output, tokens } = figures
  return (
    <div class="charts">
      <figure>
        <figcaption>
          Turns a minute <b class="number">{perMinute.at(-1) ?? 0}</b>
        </figcaption>
        <Bars
          values={perMinute}
          label={`Turns in each of the last ${minutes} minutes: ${perMinute.join(', ')}`}
        />
      </figure>
      <figure>
        <figcaption>
          First output <b class="number">{duration(p50)}</b>
          <span class="muted number"> p95 {duration(p95)}</span>
        </figcaption>
        <Bars
          values={firsts}
          label={`Time to the first output of the last ${firsts.length} turns: median ${duration(p50)}, 95 % below ${duration(p95)}`}
        />
      </figure>
      <figure>
        <figcaption>
          Tokens <b class="number">{count(input)}</b> in, <b class="number">{count(output)}</b> out
        </figcaption>
        <Bars
          values={tokens}
          label={`Tokens of the last ${tokens.length} turns; of all that are kept ${input} in and ${output} out`}
        />
      </figure>
    </div>
  )
}

function figuresOf(turns: readonly TurnSummary[], minute: number) {
  const ordered = [...turns].sort((a, b) => a.startedAt - b.startedAt)
  const perMinute = Array.from({ length: minutes }, () => 0)
  for (const { startedAt } of ordered) {
    const at = minutes - 1 - (minute - Math.floor(startedAt / minuteMs))
    if (at >= 0) perMinute[Math.min(at, minutes - 1)] = (perMinute[Math.min(at, minutes - 1)] ?? 0) + 1
  }
  const all = ordered.flatMap(({ firstOutputMs }) => firstOutputMs ?? [])
  const sum = (of: (turn: TurnSummary) => number | undefined) =>
    ordered.reduce((total, turn) => total + (of(turn) ?? 0), 0)
  return {
    perMinute,
    firsts: all.slice(-newest),
    p50: percentile(all, 0.5),
    p95: percentile(all, 0.95),
    input: sum(({ inputTokens }) => inputTokens),
    output: sum(({ outputTokens }) => outputTokens),
    tokens: ordered.slice(-newest).map((turn) => (turn.inputTokens ?? 0) + (turn.outputTokens ?? 0)),
  }
}

function Bars({ values, label }: { values: readonly number[]; label: string }) {
  const top = Math.max(1, ...values)
  const step = width / Math.max(minutes, values.length)
  const from = width - values.length * step
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
      <line class="axis" x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} />
      {values.map((value, at) => {
        const tall = value === 0 ? 0 : Math.max(1.5, (value / top) * (height - 2))
        return (
          <rect
            key={at}
            class="bar"
            x={from + at * step + 0.5}
            y={height - 1 - tall}
            width={Math.max(1, step - 1)}
            height={tall}
          />
        )
      })}
    </svg>
  )
}
