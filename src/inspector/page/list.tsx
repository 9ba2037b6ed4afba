// The list of conversations and turns, newest first: the filter, what holds for the whole list, and the rows.

import type { Ref, RefObject } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Conversation, Hits } from './conversations.ts'
import { FilterBar } from './filter-bar.tsx'
import { plural } from './format.ts'
import { layOut } from './list-window.ts'
import { linesOf, Rows } from './rows.tsx'
import type { State, Store } from './store.ts'
import { TurnedAway } from './turned-away.tsx'

interface ListProps {
  state: State
  store: Store
  /** All of them. */
  conversations: readonly Conversation[]
  /** Those that the filter lets through. */
  shown: readonly Conversation[]
  hits: Hits
  isSearching: boolean
  /** Older turns were not looked at. */
  hasMore: boolean
  selected: string | undefined
  versus: string | undefined
  /** The next choice is the turn to compare with. */
  isPicking: boolean
  text: string
  filter: Ref<HTMLInputElement>
  list: RefObject<HTMLDivElement | null>
  onText(text: string, push: boolean): void
  onChoose(id: string, other: boolean): void
  onStopPicking(): void
}

export function List(props: ListProps) {
  const { state, store, conversations, shown, hits, selected, versus, list, text } = props
  const layout = useMemo(
    () =>
      layOut(
        shown,
        (turn) => linesOf(turn, hits.get(turn.id)).length,
        ({ turns }) => turns.length < 2,
      ),
    [shown, hits],
  )
  const number = shown.reduce((sum, { turns }) => sum + turns.length, 0)
  const total = state.turns.size
  return (
    <section class="list" aria-label="Turns">
      <FilterBar {...{ text, conversations }} filter={props.filter} onText={props.onText} />
      <div class="tally">
        <p role="status">
          {number === total ? plural(total, 'turn') : `${number} of ${plural(total, 'turn')}`}
        </p>
        <p class="muted">{searchWords(props)}</p>
        <ListActions {...{ state, store }} />
      </div>
      <TurnedAway counts={state.turnedAway} />
      {props.isPicking ? (
        <p class="picking" role="status">
          Choose the turn to compare with.
          <button type="button" onClick={props.onStopPicking}>
            Cancel
          </button>
        </p>
      ) : null}
      {number === 0 && total > 0 && !props.isSearching ? (
        <p class="no-match">
          No turn matches the filter.
          <button type="button" onClick={() => props.onText('', true)}>
            Clear
          </button>
        </p>
      ) : null}
      <Rows
        {...{ layout, hits, selected, versus, list }}
        label="Turns, newest first"
        shownFor={text}
        onChoose={props.onChoose}
      />
      <p class="keys" aria-hidden="true">
        <kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> open · <kbd>Esc</kbd> back · <kbd>/</kbd> search
      </p>
    </section>
  )
}

function searchWords({ isSearching, hasMore, hits }: ListProps): string {
  if (isSearching) return 'searching…'
  return hasMore ? `${hits.size} by content, not all searched` : ''
}

/** Pause and clear. */
function ListActions({ state, store }: Pick<ListProps, 'state' | 'store'>) {
  const [isAsking, setAsking] = useState(false)
  const [problem, setProblem] = useState('')
  const { isPaused, held, turns, may } = state
  const cleared = [...turns.values()].filter(({ running, pinned }) => !running && !pinned)
  if (may.tapes !== undefined) return null
  const clear = () => {
    setAsking(false)
    setProblem('')
    const until = Math.max(...cleared.map(({ startedAt }) => startedAt))
    store.clear(until).catch((error: Error) => setProblem(error.message))
  }
  return (
    <div class="list-actions">
      {problem === '' ? null : <span role="alert">{problem}</span>}
      {isAsking ? (
        <>
          <span>Clear {plural(cleared.length, 'turn')} for all who see them?</span>
          <button type="button" onClick={clear}>
            Clear
          </button>
          <button type="button" onClick={() => setAsking(false)}>
            Keep
          </button>
        </>
      ) : (
        <>
          <button
            type="button"
            aria-pressed={isPaused}
            onClick={() => (isPaused ? store.resume() : store.pause())}
          >
            {isPaused ? `Resume${held > 0 ? `, ${held} waiting` : ''}` : 'Pause'}
          </button>
          <button
            type="button"
            disabled={cleared.length === 0 || !may.change}
            onClick={() => setAsking(true)}
          >
            Clear…
          </button>
        </>
      )}
    </div>
  )
}
