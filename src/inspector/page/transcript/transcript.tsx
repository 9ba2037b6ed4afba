// The conversation around a turn: its history, its answer, and what came later.

import { useRef, useState } from 'preact/hooks'
import type { Transcript, TranscriptEntry } from '../../transcript-api.ts'
import type { Conversation } from '../conversations.ts'
import { plural } from '../format.ts'
import type { Store } from '../store.ts'
import { Part, Result } from './part.tsx'
import { StoreContext } from './use-whole.ts'

interface TranscriptProps {
  transcript: Transcript
  conversation: Conversation
  store: Store
  onChoose(id: string, open: boolean): void
}

/** Entries around the answer that are shown at first, and with each click. */
const atFirst = 8
const step = 50

export function TranscriptView({ transcript, conversation, store, onChoose }: TranscriptProps) {
  const { entries, isPartial, problem, leftOut } = transcript
  const [before, setBefore] = useState(atFirst)
  const [after, setAfter] = useState(atFirst)
  const answer = useRef<HTMLLIElement>(null)
  const chosen = entries.findIndex(({ isChosen }) => isChosen)
  const from = Math.max(0, chosen - before)
  const to = Math.min(entries.length, chosen + 1 + after)
  const first = entries.findIndex(({ role }) => role !== 'system')
  const numbers = new Map(conversation.turns.toReversed().map(({ id }, at) => [id, at + 1]))
  const view = (entry: TranscriptEntry, at: number) => (
    <Entry
      key={keyOf(entry, at)}
      {...{ entry, onChoose }}
      number={entry.turn === undefined ? undefined : numbers.get(entry.turn)}
      line={lineBefore(entries, at)}
      place={entry.isChosen ? answer : undefined}
    />
  )
  return (
    <StoreContext.Provider value={store}>
      {isPartial ? (
        <p class="line">Earlier messages are not in this request, and are no longer kept.</p>
      ) : null}
      {problem === undefined ? null : (
        <p class="line">The request cannot be read as a conversation, and is shown as it came: {problem}</p>
      )}
      {leftOut > 0 ? <p class="line">{plural(leftOut, 'turn')} of this conversation not shown.</p> : null}
      {chosen > 3 ? (
        <button type="button" class="small go" onClick={() => answer.current?.scrollIntoView()}>
          Go to this turn’s answer
        </button>
      ) : null}
      <ol class="transcript">
        {entries.slice(0, Math.min(first, from)).map(view)}
        {from > Math.max(0, first) ? (
          <li class="line">
            <button type="button" onClick={() => setBefore(before + step)}>
              Show {plural(Math.min(step, from - first), 'earlier message')} of {from - first}
            </button>
          </li>
        ) : null}
        {entries
          .slice(from > first ? from : 0, to)
          .map((entry, at) => view(entry, at + (from > first ? from : 0)))}
      </ol>
      {to < entries.length ? (
        <button type="button" onClick={() => setAfter(after + step)}>
          Show {plural(Math.min(step, entries.length - to), 'later message')} of {entries.length - to}
        </button>
      ) : null}
    </StoreContext.Provider>
  )
}

/** Where an entry is on its tape: what is unfolded stays so while a conversation grows. */
const keyOf = ({ role, turn, parts, results }: TranscriptEntry, at: number) => {
  const [first] = [...parts, ...results.flatMap((result) => result.parts)]
  return turn !== undefined ? `answer ${turn}` : first ? `${role} ${first.turn} ${first.number}` : at
}

function lineBefore(entries: readonly TranscriptEntry[], at: number): string | undefined {
  const [entry, before] = [entries[at], entries[at - 1]]
  if (entry?.isRewritten) return 'From here on, the client’s requests no longer contain what is above.'
  if (entry?.isOutside && !before?.isOutside) return 'From earlier turns; not in this turn’s request:'
  if (before?.isOutside && !entry?.isOutside) return 'In this turn’s request:'
  return undefined
}

const roles = { system: 'System', user: 'User', assistant: 'Assistant', tool: 'Tool result' }

interface EntryProps {
  entry: TranscriptEntry
  number: number | undefined
  line: string | undefined
  place: { current: HTMLLIElement | null } | undefined
  onChoose(id: string, open: boolean): void
}

function Entry({ entry, number, line, place, onChoose }: EntryProps) {
  const { role, parts, results, turn, isChosen = false, isOutside, state } = entry
  return (
    <>
      {line === undefined ? null : <li class="line">{line}</li>}
      <li
        class={`entry ${role} ${isChosen ? 'chosen' : ''} ${isOutside ? 'outside' : ''}`}
        ref={place ?? null}
      >
        <div class="entry-head">
          <h3>{roles[role]}</h3>
          {isChosen ? <b class="mark">This turn</b> : null}
          {turn !== undefined && number !== undefined && !isChosen ? (
            <button type="button" class="small" onClick={() => onChoose(turn, true)}>
              Turn {number}
            </button>
          ) : null}
          {state === 'running' ? <span class="muted">still running</span> : null}
          {state === 'gone' ? <span class="muted">the client went away</span> : null}
        </div>
        {parts.map((part) => (
          <Part key={`${part.turn} ${part.number}`} {...{ part, role, isChosen }} />
        ))}
        {results.map((result) => (
          <Result key={result.callId} result={result} />
        ))}
        {parts.length + results.length === 0 ? (
          <p class="muted">{state === 'running' ? 'Nothing has come yet.' : 'No content.'}</p>
        ) : null}
      </li>
    </>
  )
}
