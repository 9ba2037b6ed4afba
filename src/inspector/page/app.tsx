// The page: the list on the left, one turn on the right; on a phone, one of the two.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { groupTurns, type Quick, visible } from './conversations.ts'
import { Detail } from './detail.tsx'
import { Empty } from './empty.tsx'
import { Header } from './header.tsx'
import { useKeys } from './keyboard.ts'
import { List } from './list.tsx'
import { Login } from './login.tsx'
import { useSelection } from './selection.ts'
import { type State, Store } from './store.ts'

export function App() {
  const [state, setState] = useState<State>()
  const store = useMemo(() => new Store(setState), [])
  useEffect(() => void store.start(), [store])
  if (!state || state.phase === 'starting') return null
  if (state.phase === 'login') return <Login problem={state.problem} />
  return <Inspector state={state} store={store} />
}

function Inspector({ state, store }: { state: State; store: Store }) {
  const [words, setWords] = useState('')
  const [quick, setQuick] = useState<ReadonlySet<Quick>>(new Set())
  const filter = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const conversations = useMemo(() => groupTurns(state.turns.values()), [state.turns])
  const shown = useMemo(() => visible(conversations, { words, quick }), [conversations, words, quick])
  const ids = shown.flatMap(({ turns }) => turns.map(({ id }) => id))
  const { selected, isOpen, choose, close, latest } = useSelection(ids, state.turns, list)
  useKeys({ latest, choose, close, clear: () => setWords(''), filter, list, heading })

  const conversation = conversations.find(({ turns }) => turns.some(({ id }) => id === selected))
  const turn = selected === undefined ? undefined : state.turns.get(selected)
  return (
    <div class={`page ${isOpen ? 'is-open' : ''} ${state.turns.size === 0 ? 'is-empty' : ''}`}>
      <button type="button" class="skip" onClick={() => heading.current?.focus()}>
        Skip to the turn
      </button>
      <Header state={state} store={store} />
      <main>
        <List
          {...{ conversations: shown, selected, words, quick, filter, list }}
          total={state.turns.size}
          onWords={setWords}
          onQuick={setQuick}
          onChoose={(id) => {
            choose(id, true)
          }}
        />
        <section class="detail" id="detail" aria-label="Turn">
          {turn && conversation ? (
            <Detail
              key={turn.id}
              {...{ turn, conversation, store, heading, onBack: close }}
              onChoose={choose}
            />
          ) : (
            <Empty isFiltered={state.turns.size > 0} heading={heading} />
          )}
        </section>
      </main>
    </div>
  )
}
