// The timeline of a turn: text, reasoning, calls and silences as bars. The facts of a bar appear below the chart, in reserved
// space.

import { useState } from 'preact/hooks'
import type { TimelineSegment } from '../../tapes/timeline-segment.ts'
import type { TurnSummary } from '../api.ts'
import { Bars } from './bars.tsx'
import { duration } from './format.ts'
import { endOf, isOpenCall, openCall } from './open-call.ts'
import { useWidth } from './use-width.ts'

interface Bar {
  lane: 'wait' | 'reasoning' | 'text' | 'tool-call'
  from: number
  to: number
  words: string
}

const lanes = [
  ['wait', 'Waits'],
  ['reasoning', 'Reasoning'],
  ['text', 'Text'],
  ['tool-call', 'Calls'],
] as const

const [laneHeight, left, right] = [26, 76, 10]
/** Shorter silences occur between any two deltas. */
const shortestWaitMs = 150
const mostBars = 400

export function Timeline({ turn, segments }: { turn: TurnSummary; segments: readonly TimelineSegment[] }) {
  const [said, setSaid] = useState<string>()
  const [figure, width] = useWidth<HTMLElement>()
  const end = Math.max(turn.milliseconds, ...segments.map(({ to }) => to), 1)
  const bars = barsOf(segments, end, turn.running).slice(0, mostBars)
  const x = (at: number) => left + (at / end) * (width - left - right)
  const height = lanes.length * laneHeight + 20
  return (
    <figure class="timeline" ref={figure}>
      <figcaption>
        <h3>Timeline</h3>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} class="chart">
        <title>{`${bars.length} segments in ${duration(end)}`}</title>
        {ticks(end, width < 500 ? 3 : 6).map((at) => (
          <g key={at}>
            <line class="axis" x1={x(at)} x2={x(at)} y1="0" y2={height - 18} />
            <text class="tick" x={x(at)} y={height - 4} text-anchor={at === 0 ? 'start' : 'middle'}>
              {at < 10 ? `${at} ms` : duration(at)}
            </text>
          </g>
        ))}
        {lanes.map(([lane, name], row) => (
          <text key={lane} class="lane" x="0" y={row * laneHeight + 17}>
            {name}
          </text>
        ))}
        <Bars
          onSay={setSaid}
          bars={bars.map(({ lane, from, to, words }) => ({
            words,
            kind: lane,
            x: x(from),
            y: lanes.findIndex(([name]) => name === lane) * laneHeight + 4,
            width: Math.max(3, x(to) - x(from)),
            height: laneHeight - 8,
          }))}
        />
      </svg>
      <p class="said-line">{said ?? summaryOf(bars)}</p>
    </figure>
  )
}

const words = { text: 'Text', reasoning: 'Reasoning', 'tool-call': 'Call' }

export function barsOf(segments: readonly TimelineSegment[], end: number, isRunning: boolean): Bar[] {
  const bars: Bar[] = []
  let at = 0
  for (const segment of segments) {
    const { kind, from, characters, preview, name } = segment
    const to = endOf(segment, end)
    if (from - at >= shortestWaitMs || (at === 0 && from > 0)) bars.push(wait(at, from, at === 0))
    const what = kind === 'tool-call' ? `Call of ${name}` : words[kind]
    const excerpt = preview.replace(/\s+/g, ' ').slice(0, 120)
    bars.push({
      lane: kind,
      from,
      to,
      words: isOpenCall(segment)
        ? `${what}, ${duration(to - from)} from ${duration(from)}: ${openCall(isRunning)}`
        : `${what}, ${duration(to - from)} from ${duration(from)}, ${characters} characters: ${excerpt}`,
    })
    at = Math.max(at, to)
  }
  if (end - at >= shortestWaitMs || bars.length === 0)
    bars.push(wait(at, end, at === 0, isRunning ? 'so far' : 'to the end'))
  return bars
}

const wait = (from: number, to: number, isFirst: boolean, more = ''): Bar => ({
  lane: 'wait',
  from,
  to,
  words: `${isFirst ? 'Wait for the first output' : 'Silence'} of ${duration(to - from)}${more ? ` ${more}` : ''}`,
})

function summaryOf(bars: readonly Bar[]): string {
  const total = (lane: Bar['lane']) =>
    bars.filter((bar) => bar.lane === lane).reduce((sum, { from, to }) => sum + to - from, 0)
  return lanes
    .filter(([lane]) => bars.some((bar) => bar.lane === lane))
    .map(([lane, name]) => `${name} ${duration(total(lane))}`)
    .join(' · ')
}

function ticks(end: number, most: number): number[] {
  const rough = Math.max(end / most, 0.5)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, at) => at * step).filter(
    (at) => at < end * 0.97,
  )
}
