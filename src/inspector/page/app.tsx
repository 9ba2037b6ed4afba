// The page: the list on the left, one turn or two on the right; on a phone, one of the two.

import type { RefObject } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { TurnSummary } from '../api.ts'
import { parseFilter } from '../turn-filter.ts'
import { type Place, useAddress } from './address.ts'
import { type Conversation, groupTurns, visible } from './conversations.ts'
import { Detail } from './detail.tsx'
import { Empty } from './empty.tsx'
import { Figures, useFiguresView } from './figures.tsx'
import { Header } from './header.tsx'
import { useKeys } from './keyboard.ts'
import { List } from './list.tsx'
import { Login } from './login.tsx'
import { type Selection, useSelection } from './selection.ts'
import { type State, Store } from './store.ts'
import { ToolsContext } from './turn-tools.tsx'
import { useSearch } from './use-search.ts'
import { Versus } from './versus.tsx'

export function App() {
  const [state, setState] = useState<State>()
  const store = useMemo(() => new Store(setState), [])
  useEffect(() => void store.start(), [store])
  const isFigures = useFiguresView()
  if (!state || state.phase === 'starting') return null
  if (state.phase === 'login') return <Login problem={state.problem} />
  if (isFigures) return <Figures state={state} store={store} />
  return <Inspector state={state} store={store} />
}

function Inspector({ state, store }: { state: State; store: Store }) {
  const place = useAddress()
  const { address, go } = place
  const [isPicking, setPicking] = useState(false)
  const filter = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const text = address.filter
  const conversations = useMemo(() => groupTurns(state.turns.values()), [state.turns])
  const search = useSearch(store, text, state.turns)
  const shown = useMemo(
    () => visible(conversations, parseFilter(text), search.hits),
    [conversations, text, search.hits],
  )
  const ids = useMemo(() => shown.flatMap(({ turns }) => turns.map(({ id }) => id)), [shown])
  const selection = useSelection(ids, state.turns, { list, place })
  const { selected, isOpen, choose } = selection
  const onText = (next: string, push: boolean) => go({ filter: next }, push)
  const clear = () => onText('', false)
  useKeys({ ...selection, clear, filter, list, heading })

  const compare = (other?: string) => {
    setPicking(other === undefined)
    if (other === undefined) list.current?.focus()
    if (other !== undefined && selected !== undefined && other !== selected)
      go({ turn: selected, versus: other }, true)
  }
  const onChoose = (id: string, isOther: boolean) => {
    if (isOther || isPicking) compare(id)
    else choose(id, true)
  }
  const versus = address.versus === undefined ? undefined : state.turns.get(address.versus)
  return (
    <div class={`page ${isOpen && !isPicking ? 'is-open' : ''} ${state.turns.size === 0 ? 'is-empty' : ''}`}>
      <button type="button" class="skip" onClick={() => heading.current?.focus()}>
        Skip to the turn
      </button>
      <Header state={state} store={store} />
      <main>
        <List
          {...{
            state,
            store,
            conversations,
            shown,
            selected,
            isPicking,
            text,
            filter,
            list,
            onText,
            onChoose,
          }}
          {...{ hits: search.hits, isSearching: search.isSearching, hasMore: search.hasMore }}
          versus={versus?.id}
          onStopPicking={() => setPicking(false)}
        />
        <section class="detail" id="detail" aria-label="Turn">
          <ToolsContext.Provider
            value={{
              ...{ may: state.may, choose, compare, models: modelsOf(state) },
              isKnown: (id) => state.turns.has(id),
            }}
          >
            <Shown
              {...{ state, store, place, heading, versus, selection, conversations, clear }}
              isSearching={search.isSearching}
            />
          </ToolsContext.Provider>
        </section>
      </main>
    </div>
  )
}

const modelsOf = ({ turns }: State): string[] =>
  [...new Set([...turns.values()].map(({ model }) => model))].slice(0, 100)

interface ShownProps {
  state: State
  store: Store
  place: Place
  heading: RefObject<HTMLHeadingElement | null>
  versus: TurnSummary | undefined
  selection: Selection
  conversations: readonly Conversation[]
  isSearching: boolean
  clear(): void
}

/** Two turns, one, or why there is none. */
function Shown(props: ShownProps) {
  const { state, store, place, heading, versus, selection, conversations } = props
  const { choose, close } = selection
  const selected = useSettled(selection)
  const turn = selected === undefined ? undefined : state.turns.get(selected)
  const conversation = turn && conversations.find(({ id }) => id === turn.conversation)
  if (!turn || !conversation)
    return (
      <Empty
        why={whyEmpty(props)}
        turnedAway={state.turnedAway}
        turn={selection.unknown}
        heading={heading}
        onClear={props.clear}
        onClose={close}
      />
    )
  if (versus)
    return (
      <Versus
        {...{ store, heading, left: turn, right: versus, onBack: close }}
        onSwap={() => place.go({ turn: versus.id, versus: turn.id }, false)}
        onClose={() => place.go({ versus: undefined }, false)}
      />
    )
  return <Detail key={turn.id} {...{ turn, conversation, store, heading, onBack: close }} onChoose={choose} />
}

/** While someone types, the first turn of the list changes with each key: only the last one is shown. */
function useSettled({ selected, isChosen }: Selection): string | undefined {
  const [settled, setSettled] = useState(selected)
  const isAtOnce = isChosen || selected === undefined || settled === undefined
  useEffect(() => {
    const timer = setTimeout(() => setSettled(selected), isAtOnce ? 0 : settleMs)
    return () => clearTimeout(timer)
  }, [selected, isAtOnce])
  return isAtOnce ? selected : settled
}

const settleMs = 150

function whyEmpty({ state, selection, isSearching }: ShownProps): Parameters<typeof Empty>[0]['why'] {
  if (selection.unknown !== undefined) return 'unknown'
  if (state.turns.size === 0) return state.may.tapes === undefined ? 'no-turns' : 'no-tapes'
  return isSearching ? 'searching' : 'no-match'
}
