// The page: the list on the left, one turn on the right; on a phone, one of the two.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { groupTurns, type Quick, visible } from './conversations.ts'
import { Detail } from './detail.tsx'
import { Empty } from './empty.tsx'
import { Header } from './header.tsx'
import { handleKey } from './keyboard.ts'
import { List } from './list.tsx'
import { Login } from './login.tsx'
import { type State, Store } from './store.ts'

export function App() {
  const [state, setState] = useState<State>()
  const store = useMemo(() => new Store(setState), [])
  useEffect(() => void store.start(), [store])
  if (!state || state.phase === 'starting') return null
  if (state.phase === 'login') return <Login problem={state.problem} />
  return <Inspector state={state} store={store} />
}

const turnInHash = () => /^#(turn_\w+)$/.exec(location.hash)?.[1]

function Inspector({ state, store }: { state: State; store: Store }) {
  const [words, setWords] = useState('')
  const [quick, setQuick] = useState<ReadonlySet<Quick>>(new Set())
  const [chosen, setChosen] = useState(turnInHash)
  /** On a phone: the turn covers the list. */
  const [isOpen, setOpen] = useState(turnInHash() !== undefined)
  const conversations = useMemo(() => groupTurns(state.turns.values()), [state.turns])
  const shown = useMemo(() => visible(conversations, { words, quick }), [conversations, words, quick])
  const ids = shown.flatMap(({ turns }) => turns.map(({ id }) => id))
  const selected = chosen !== undefined && state.turns.has(chosen) ? chosen : ids[0]
  /** The current values, not those of the last render: keys may arrive faster. */
  const latest = useRef({ ids, selected })
  latest.current = { ids, selected }
  const filter = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    const onHash = () => {
      setChosen(turnInHash())
      setOpen(turnInHash() !== undefined)
    }
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [])

  const choose = (id: string, open: boolean) => {
    setChosen(id)
    latest.current.selected = id
    if (!open) return
    setOpen(true)
    // On a phone, the browser's back button returns to the list.
    if (turnInHash() === undefined) history.pushState(null, '', `#${id}`)
    else history.replaceState(null, '', `#${id}`)
  }
  const close = () => {
    setOpen(false)
    if (turnInHash() !== undefined) history.replaceState(null, '', location.pathname)
    list.current?.focus()
  }
  const focusHeading = () => setTimeout(() => heading.current?.focus())

  useEffect(() => {
    const onKey = (event: KeyboardEvent) =>
      handleKey(event, {
        filter: filter.current,
        list: list.current,
        move: (steps) => {
          const { ids: all, selected: now } = latest.current
          const next = all[Math.max(0, Math.min(all.length - 1, all.indexOf(now ?? '') + steps))]
          if (next === undefined) return
          choose(next, false)
          list.current?.focus({ preventScroll: true })
        },
        open: () => {
          const { selected: now } = latest.current
          if (now === undefined) return
          choose(now, true)
          focusHeading()
        },
        close,
        clear: () => setWords(''),
      })
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })

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
