// The status of a turn, in words and colour.

import type { TurnSummary } from '../api.ts'

/** By the gateway itself: no backend was asked. */
export const isRefused = ({ error, tries, running }: TurnSummary) =>
  error !== undefined && tries === 0 && !running

export function statusOf(turn: TurnSummary): { word: string; kind: string } {
  const { running, error, outcome } = turn
  if (running) return { word: 'running', kind: 'running' }
  if (error && outcome !== 'canceled')
    return isRefused(turn)
      ? { word: `refused: ${error.code}`, kind: 'refused' }
      : { word: `failed: ${error.code}`, kind: 'error' }
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
