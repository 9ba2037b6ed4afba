// The filter: one text, which buttons and menus write too, so that it can be read, kept and shared.

import type { Ref } from 'preact'
import { useState } from 'preact/hooks'
import type { TurnSummary } from '../api.ts'
import { type Fact, parseFilter, toggled, tokensOf, valuesOf, withFact } from '../turn-filter.ts'
import { type Conversation, isWaiting, visible } from './conversations.ts'

interface FilterProps {
  text: string
  /** All of them, whatever the filter. */
  conversations: readonly Conversation[]
  filter: Ref<HTMLInputElement>
  /** `push`: a change that the back button takes back. */
  onText(text: string, push: boolean): void
}

const quicks: readonly [
  token: string,
  label: string,
  holds: (turn: TurnSummary, of: Conversation) => boolean,
][] = [
  ['error:', 'Errors', ({ error }) => error !== undefined],
  ['is:calls', 'With calls', ({ calls }) => calls.length > 0],
  ['is:notes', 'With notes', ({ notes }) => notes > 0],
  ['is:running', 'Running', ({ running }) => running],
  ['is:waiting', 'Waiting', isWaiting],
  ['is:pinned', 'Pinned', ({ pinned }) => pinned === true],
]

export function FilterBar({ text, conversations, filter, onText }: FilterProps) {
  const [isOpen, setOpen] = useState(false)
  const { problems, conditions } = parseFilter(text)
  const tokens = tokensOf(text)
  const inMenus = conditions.filter(
    ({ name }) => name !== 'is' && tokens.includes(`${name}:`) === false,
  ).length
  return (
    <search class="filter">
      <label class="hidden" for="filter">
        Filter turns
      </label>
      <input
        id="filter"
        type="search"
        ref={filter}
        value={text}
        placeholder="Search content, tools, errors, ids…"
        autocomplete="off"
        spellcheck={false}
        maxLength={500}
        onInput={(event) => onText(event.currentTarget.value, false)}
      />
      <fieldset class="quicks">
        <legend class="hidden">Only turns that are</legend>
        {quicks.map(([token, label, holds]) => {
          const isOn = tokens.includes(token)
          const number = countOf(conversations, holds)
          // Rare kinds are shown if there are any.
          if (number === 0 && !isOn && (token === 'is:pinned' || token === 'is:notes')) return null
          return (
            <button
              type="button"
              key={token}
              aria-pressed={isOn}
              onClick={() => onText(toggled(text, token), true)}
            >
              {label}
              {number > 0 ? <span class="number"> {number}</span> : null}
            </button>
          )
        })}
        <button type="button" aria-expanded={isOpen} aria-controls="menus" onClick={() => setOpen(!isOpen)}>
          Filters{inMenus > 0 ? <span class="number"> {inMenus}</span> : null}
        </button>
      </fieldset>
      <div id="menus" class="menus" hidden={!isOpen}>
        {isOpen ? <Menus {...{ text, conversations, onText }} /> : null}
      </div>
      {problems.map((problem) => (
        <p class="filter-problem" role="alert" key={problem}>
          {problem}
        </p>
      ))}
    </search>
  )
}

const countOf = (
  conversations: readonly Conversation[],
  holds: (turn: TurnSummary, of: Conversation) => boolean,
) => conversations.reduce((sum, of) => sum + of.turns.filter((turn) => holds(turn, of)).length, 0)

const menus: readonly [Fact, string, string][] = [
  ['client', 'Client', 'Any client'],
  ['model', 'Model', 'Any model'],
  ['backend', 'Backend', 'Any backend'],
  ['key', 'Key', 'Any key'],
  ['outcome', 'Outcome', 'Any outcome'],
  ['tool', 'Tool', 'Any tool'],
  ['error', 'Error', 'Any'],
]
const slower = ['1s', '5s', '15s', '60s']
const mostValues = 100

function Menus({ text, conversations, onText }: Pick<FilterProps, 'text' | 'conversations' | 'onText'>) {
  const { conditions } = parseFilter(text)
  const chosen = (name: string) => conditions.find((one) => one.name === name && !one.isNot)?.value ?? ''
  const set = (name: string, value: string) =>
    onText(withFact(text, name, value === '' ? undefined : value), true)
  return (
    <>
      {menus.map(([fact, label, any]) => {
        const counts = countsOf(fact, text, conversations)
        const value = chosen(fact)
        if (value !== '' && !counts.some(([one]) => one === value)) counts.push([value, 0])
        const values = counts.slice(0, mostValues).map(([one, number]): Choice => [one, `${one} (${number})`])
        return <Menu key={fact} {...{ name: fact, label, any, value, values, set }} />
      })}
      <Menu
        {...{ name: 'slower', label: 'Slower than', any: 'Any duration', value: chosen('slower'), set }}
        values={[...new Set([...slower, chosen('slower')])].filter(Boolean).map((one): Choice => [one, one])}
      />
      <p class="muted">
        Also as words: <code>model:claude tool:bash -error: slower:5s is:resent</code>
      </p>
    </>
  )
}

type Choice = [value: string, words: string]

interface MenuProps {
  name: string
  label: string
  any: string
  value: string
  values: readonly Choice[]
  set(name: string, value: string): void
}

const Menu = ({ name, label, any, value, values, set }: MenuProps) => (
  <div class="menu">
    <label for={`menu-${name}`}>{label}</label>
    <select id={`menu-${name}`} value={value} onChange={(event) => set(name, event.currentTarget.value)}>
      <option value="">{any}</option>
      {values.map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </select>
  </div>
)

/** The values of a fact in the turns that all other conditions allow, most frequent first. Words are not counted in. */
function countsOf(fact: Fact, text: string, conversations: readonly Conversation[]): [string, number][] {
  const { conditions } = parseFilter(withFact(text, fact, undefined))
  const counts = new Map<string, number>()
  for (const { turns } of visible(conversations, { words: [], conditions, problems: [] }))
    for (const turn of turns)
      for (const value of new Set(valuesOf(turn, fact))) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)
}
