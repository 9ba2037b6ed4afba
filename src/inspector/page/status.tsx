// The status of a turn, in words and colour.

import type { TurnSummary } from '../api.ts'

export function statusOf({ running, error, outcome }: TurnSummary): { word: string; kind: string } {
  if (running) return { word: 'running', kind: 'running' }
  if (error) return { word: error.code, kind: 'error' }
  if (outcome === 'tool-calls') return { word: 'tool calls', kind: 'calls' }
  if (outcome === 'stop') return { word: 'done', kind: 'done' }
  return {
    word: outcome ?? 'ended',
    kind: outcome === 'canceled' || outcome === 'interrupted' ? 'error' : 'other',
  }
}

export function Status({ turn, isWaiting = false }: { turn: TurnSummary; isWaiting?: boolean }) {
  const { word, kind } = statusOf(turn)
  return (
    <span class={`status ${kind}`}>
      <span class="dot" aria-hidden="true" />
      {isWaiting ? 'waits for results' : word}
    </span>
  )
}
