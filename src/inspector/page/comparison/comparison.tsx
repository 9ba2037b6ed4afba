// Both sides of a turn: what the client sent beside what went upstream, and the same for the answer.

import { useEffect, useState } from 'preact/hooks'
import type { TurnSummary } from '../../api.ts'
import type { ComparisonView, GroupView } from '../../comparison/api.ts'
import { plural } from '../format.ts'
import type { Store } from '../store.ts'
import { isFolded, isShown, kindNames, kinds, sectionName } from './kinds.ts'
import { Row } from './row.tsx'

interface ComparisonProps {
  turn: TurnSummary
  store: Store
}

export function BothSides({ turn, store }: ComparisonProps) {
  const [exchange, setExchange] = useState<number>()
  const [isBrief, setBrief] = useState(true)
  const view = useComparison(turn, exchange, store)
  if (view === undefined) return <p class="muted">Loading…</p>
  if (view === 'gone') return <p class="muted">This turn is no longer kept.</p>
  return (
    <div class="comparison">
      <div class="comparison-bar">
        <button type="button" aria-pressed={isBrief} onClick={() => setBrief(!isBrief)}>
          Only differences
        </button>
        {view.exchanges.length > 1 ? <Exchanges view={view} onChoose={setExchange} /> : null}
      </div>
      {view.cut ? <p class="muted">A part of this turn was too long to keep: rows may be missing.</p> : null}
      <WholeTurn view={view} />
      {view.groups.map((group) => (
        <Group key={group.name} {...{ group, view, isBrief, turn, store }} />
      ))}
    </div>
  )
}

function Exchanges({ view, onChoose }: { view: ComparisonView; onChoose(number: number): void }) {
  return (
    <label class="exchange-choice">
      Upstream request{' '}
      <select
        value={String(view.exchange ?? '')}
        onChange={(event) => onChoose(Number(event.currentTarget.value))}
      >
        {view.exchanges.map(({ number, backend, outcome, isGood }) => (
          <option key={number} value={String(number)}>
            {number} of {view.exchanges.length}: {backend}, {isGood ? '' : 'failed, '}
            {outcome.slice(0, 60)}
          </option>
        ))}
      </select>
    </label>
  )
}

function WholeTurn({ view: { notes, wholeTurn } }: { view: ComparisonView }) {
  if (wholeTurn.length === 0) return null
  return (
    <section class="notes-list">
      <h3>About the whole turn</h3>
      <ul>
        {wholeTurn.map((number) => (
          <li key={number}>{notes[number]}</li>
        ))}
      </ul>
    </section>
  )
}

const titles = { request: 'Request', answer: 'Answer', headers: 'Headers' }
const ways = { request: 'client → upstream', answer: 'upstream → client', headers: 'both ways' }

interface GroupProps extends ComparisonProps {
  group: GroupView
  view: ComparisonView
  isBrief: boolean
}

const step = 200

function Group({ group, view, isBrief, turn, store }: GroupProps) {
  const [most, setMost] = useState(step)
  const rows = isBrief ? group.rows.filter(isShown) : group.rows
  const heading = `comparison-${group.name}`
  return (
    <section class="comparison-group" aria-labelledby={heading}>
      <h3 id={heading}>
        {titles[group.name]} <span class="way">{ways[group.name]}</span>
      </h3>
      {group.problem === undefined ? <Counts group={group} /> : <p class="muted">{group.problem}</p>}
      {rows.length > 0 ? (
        <div class="sides-head" aria-hidden="true">
          <span />
          <span>Client</span>
          <span>Upstream</span>
        </div>
      ) : null}
      <ul class="comparison-rows">
        {rows.slice(0, most).map((row, place) => (
          <li key={row.id}>
            {rows[place - 1]?.section === row.section ? null : (
              <h4>{sectionName(group.name, row.section)}</h4>
            )}
            <Row {...{ row, turn, store }} exchange={view.exchange} notes={view.notes} />
          </li>
        ))}
      </ul>
      {group.problem === undefined && rows.length === 0 ? (
        <p class="muted">Both sides say the same.</p>
      ) : null}
      {rows.length > most ? (
        <button type="button" class="more" onClick={() => setMost(most + step)}>
          Show {Math.min(step, rows.length - most)} more of {rows.length - most}
        </button>
      ) : null}
      {group.leftOut > 0 && rows.length <= most ? (
        <p class="muted">{plural(group.leftOut, 'more row')} not shown; the frames and the tape have all.</p>
      ) : null}
    </section>
  )
}

const Counts = ({ group: { counts } }: { group: GroupView }) => (
  <ul class="counts">
    {kindNames.map((kind) =>
      counts[kind] ? (
        <li key={kind} class={isFolded(kind) ? 'kind-folded' : `kind-${kind}`}>
          <span aria-hidden="true">{kinds[kind].sign}</span> {counts[kind]} {kinds[kind].word}
        </li>
      ) : null,
    )}
  </ul>
)

const pauseMs = 500

/** Loads it again while the turn runs. */
function useComparison(
  { id, frames, running }: TurnSummary,
  exchange: number | undefined,
  store: Store,
): ComparisonView | 'gone' | undefined {
  const [view, setView] = useState<ComparisonView | 'gone'>()
  const isFirst = view === undefined
  useEffect(() => {
    let isOver = false
    const timer = setTimeout(
      async () => {
        const found = await store.comparison(id, exchange).catch(() => undefined)
        if (!isOver && found) setView(found)
      },
      isFirst || !running ? 0 : pauseMs,
    )
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [id, exchange, frames, running])
  return view
}
