// All turns of a conversation on one time axis, with the client's tool time between them.

import { useState } from 'preact/hooks'
import { costSumWords, costsOf } from '../../observe/cost.ts'
import type { TurnSummary } from '../api.ts'
import { Bars } from './bars.tsx'
import type { Conversation } from './conversations.ts'
import { count, duration } from './format.ts'
import { statusOf } from './status.tsx'
import { useWidth } from './use-width.ts'

interface StripProps {
  conversation: Conversation
  selected: string
  onChoose(id: string, open: boolean): void
}

const height = 26
const mostTurns = 200

export function ConversationStrip({ conversation, selected, onChoose }: StripProps) {
  const [said, setSaid] = useState<string>()
  const [figure, width] = useWidth<HTMLElement>()
  const turns = conversation.turns.slice(0, mostTurns).toReversed()
  const start = turns[0]?.startedAt ?? 0
  const end = Math.max(...turns.map(endOf))
  const x = (at: number) => ((at - start) / Math.max(1, end - start)) * (width - 6)
  const waits = waitsBetween(turns)
  const toolsMs = waits.reduce((sum, { from, to }) => sum + to - from, 0)
  const modelMs = turns.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
  const bars = turns.flatMap((turn, at) => {
    const wait = waits.find(({ before }) => before === turn)
    const shape = {
      words: `Turn ${at + 1}, ${statusOf(turn).word}, ${duration(turn.milliseconds)}: ${turn.title}`,
      kind: `turn ${statusOf(turn).kind}`,
      x: x(turn.startedAt) + 1,
      y: 3,
      width: Math.max(4, x(endOf(turn)) - x(turn.startedAt)),
      height: 20,
      onChoose: () => onChoose(turn.id, true),
      isChosen: turn.id === selected,
    }
    if (!wait) return [shape]
    const { words, from, to } = wait
    return [
      { words, kind: 'wait', x: x(from) + 1, y: 9, width: Math.max(2, x(to) - x(from)), height: 8 },
      shape,
    ]
  })
  return (
    <figure class="timeline strip" ref={figure}>
      <figcaption>
        <h3>Conversation</h3>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} class="chart">
        <title>Turns of this conversation</title>
        <Bars bars={bars} onSay={setSaid} />
      </svg>
      <p class="said-line">
        {said ??
          `${turns.length} turns in ${duration(end - start)}: ${duration(modelMs)} in the model, ${duration(toolsMs)} with the client’s tools${sumsOf(turns)}`}
      </p>
    </figure>
  )
}

const endOf = ({ startedAt, milliseconds }: TurnSummary) => startedAt + milliseconds

/** Tokens and cost of all turns. */
function sumsOf(turns: readonly TurnSummary[]): string {
  const sum = (of: (turn: TurnSummary) => number | undefined) =>
    turns.reduce((total, turn) => total + (of(turn) ?? 0), 0)
  const [input, output] = [sum(({ inputTokens }) => inputTokens), sum(({ outputTokens }) => outputTokens)]
  const cached = sum(({ cacheReadTokens }) => cacheReadTokens)
  const costs = turns.flatMap(({ cost }) => cost ?? [])
  const tokens = `; ${count(input)} tokens in${cached > 0 ? ` (${count(cached)} from the cache)` : ''}, ${count(output)} out`
  return `${tokens}${costs.length === 0 ? '' : `; cost ${costSumWords(costsOf(costs))}`}`
}

interface ToolWait {
  before: TurnSummary
  from: number
  to: number
  words: string
}

/** The time from the end of calls to the request with their results. Turns are sorted. */
function waitsBetween(turns: readonly TurnSummary[]): ToolWait[] {
  return turns.flatMap((turn, at) => {
    const next = turns[at + 1]
    const from = endOf(turn)
    if (!next || turn.outcome !== 'tool-calls' || next.startedAt <= from) return []
    const words = `${turn.calls.join(', ')}: the client’s tools took ${duration(next.startedAt - from)}`
    return [{ before: next, from, to: next.startedAt, words }]
  })
}
