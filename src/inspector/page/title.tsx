// The title of a turn. Where it does not fit, the question is cut, not what came.

import type { TurnSummary } from '../api.ts'

export function Title({ turn: { title, model } }: { turn: TurnSummary }) {
  const place = /^\d+ results?$/.test(title.slice(title.lastIndexOf(' · ') + 3))
    ? title.lastIndexOf(' · ')
    : -1
  if (place < 0) return <span class="title">{title || model}</span>
  return (
    <span class="titled">
      <span class="title">{title.slice(0, place)}</span>
      <span class="came">{title.slice(place)}</span>
    </span>
  )
}
