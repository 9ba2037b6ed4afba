// The list of conversations and turns, newest first: client, target, outcome, durations.

import type { Ref, RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { TurnSummary } from '../api.ts'
import { type Conversation, isWaiting, type Quick } from './conversations.ts'
import { clock, count, duration, plural } from './format.ts'
import { Status } from './status.tsx'

interface ListProps {
  conversations: readonly Conversation[]
  total: number
  selected: string | undefined
  words: string
  quick: ReadonlySet<Quick>
  filter: Ref<HTMLInputElement>
  list: RefObject<HTMLDivElement | null>
  onWords(words: string): void
  onQuick(quick: ReadonlySet<Quick>): void
  onChoose(id: string): void
}

const quicks: readonly [Quick, string][] = [
  ['errors', 'Errors'],
  ['calls', 'With calls'],
  ['running', 'Running'],
  ['waiting', 'Waiting'],
]

const step = 200

/** Not `scrollIntoView`: in current browsers, Tab would then start from the row, and skip everything before it. */
function showRow(row: HTMLElement, rows: HTMLElement): void {
  const [inner, outer] = [row.getBoundingClientRect(), rows.getBoundingClientRect()]
  if (inner.top < outer.top) rows.scrollTop -= outer.top - inner.top
  else if (inner.bottom > outer.bottom) rows.scrollTop += inner.bottom - outer.bottom
}

export function List(props: ListProps) {
  const { conversations, selected, list, total } = props
  const [most, setMost] = useState(step)
  const number = conversations.reduce((sum, { turns }) => sum + turns.length, 0)
  useEffect(() => {
    const element = selected === undefined ? null : document.getElementById(selected)
    if (element && list.current) showRow(element, list.current)
  }, [selected, props.words, props.quick])
  let left = most
  return (
    <section class="list" aria-label="Turns">
      <Filter {...props} />
      <div class="tally">
        <p role="status">
          {number === total ? plural(total, 'turn') : `${number} of ${plural(total, 'turn')}`}
        </p>
        {number > 0 ? <p>first output · duration · tokens</p> : null}
      </div>
      <div
        class="rows"
        role="listbox"
        aria-label="Turns, newest first"
        tabIndex={0}
        ref={list}
        aria-activedescendant={selected}
      >
        {conversations.map((conversation) => {
          const turns = conversation.turns.slice(0, Math.max(0, left))
          left -= turns.length
          return turns.length === 0 ? null : (
            <Group key={conversation.id} {...{ conversation, turns, selected }} onChoose={props.onChoose} />
          )
        })}
      </div>
      {number > most ? (
        <button type="button" class="more" onClick={() => setMost(most + step)}>
          Show {Math.min(step, number - most)} more
        </button>
      ) : null}
      <p class="keys" aria-hidden="true">
        <kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> open · <kbd>Esc</kbd> back · <kbd>/</kbd> filter
      </p>
    </section>
  )
}

function Filter({ words, quick, filter, onWords, onQuick }: ListProps) {
  const toggle = (name: Quick) => {
    const next = new Set(quick)
    if (!next.delete(name)) next.add(name)
    onQuick(next)
  }
  return (
    <search class="filter">
      <label class="hidden" for="filter">
        Filter turns
      </label>
      <input
        id="filter"
        type="search"
        ref={filter}
        value={words}
        placeholder="Filter: client, model, tool, outcome, id"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onWords(event.currentTarget.value)}
      />
      <fieldset class="quicks">
        <legend class="hidden">Only turns that are</legend>
        {quicks.map(([name, label]) => (
          <button type="button" key={name} aria-pressed={quick.has(name)} onClick={() => toggle(name)}>
            {label}
          </button>
        ))}
      </fieldset>
    </search>
  )
}

interface GroupProps {
  conversation: Conversation
  turns: readonly TurnSummary[]
  selected: string | undefined
  onChoose(id: string): void
}

function Group({ conversation, turns, selected, onChoose }: GroupProps) {
  const { title, client } = conversation
  const isGroup = conversation.turns.length > 1
  return (
    // biome-ignore lint/a11y/useSemanticElements: groups of a listbox are such by their role
    <div class={isGroup ? 'group' : 'single'} role="group" aria-label={title || 'Conversation'}>
      {isGroup ? (
        <div class="group-head" role="presentation">
          <span class="title">{title || 'Conversation'}</span>
          <span class="muted">
            {client ?? 'client unknown'} · {plural(conversation.turns.length, 'turn')}
          </span>
        </div>
      ) : null}
      {turns.map((turn) => (
        <Row
          key={turn.id}
          turn={turn}
          isSelected={turn.id === selected}
          waits={isWaiting(turn, conversation)}
          onChoose={onChoose}
        />
      ))}
    </div>
  )
}

interface RowProps {
  turn: TurnSummary
  isSelected: boolean
  waits: boolean
  onChoose(id: string): void
}

function Row({ turn, isSelected, waits, onChoose }: RowProps) {
  const { id, title, startedAt, model, backend, client, calls, notes } = turn
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names the active one
    // biome-ignore lint/a11y/useKeyWithClickEvents: keyboard.ts has them, for the list
    <div class="row" id={id} role="option" aria-selected={isSelected} onClick={() => onChoose(id)}>
      <span class="title">{title || model}</span>
      <time class="number">{clock(startedAt)}</time>
      <span class="where">
        {client ? `${client} · ` : ''}
        {model}
        {backend === undefined || model.startsWith(`${backend}/`) ? '' : ` → ${backend}`}
      </span>
      <Status turn={turn} isWaiting={waits} />
      <span class="figures number">
        <span title="Time to the first output">{duration(turn.firstOutputMs)}</span>
        <span title="Duration">{duration(turn.milliseconds)}</span>
        <span title="Tokens in and out">
          {turn.inputTokens === undefined ? '' : `${count(turn.inputTokens)}→${count(turn.outputTokens)}`}
        </span>
        <span class="calls" title={calls.join(', ')}>
          {calls.length > 0 ? plural(calls.length, 'call') : ''}
        </span>
        <span class="notes">{notes > 0 ? plural(notes, 'note') : ''}</span>
      </span>
    </div>
  )
}
