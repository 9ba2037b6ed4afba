// One row of the comparison: both values side by side. A click shows them as they are on the wire.

import { useState } from 'preact/hooks'
import { visible } from '../../../base/visible-text.ts'
import type { TurnSummary } from '../../api.ts'
import type { RowView, SideView } from '../../comparison/api.ts'
import { toClipboard } from '../clipboard.ts'
import type { Store } from '../store.ts'
import { changedPart } from './changed-part.ts'
import { isFolded, kinds } from './kinds.ts'

interface RowProps {
  row: RowView
  exchange: number | undefined
  notes: readonly string[]
  turn: TurnSummary
  store: Store
}

export function Row({ row, exchange, notes, turn, store }: RowProps) {
  const [isOpen, setOpen] = useState(false)
  const { kind, label, client, upstream } = row
  const { sign, word } = kinds[kind]
  const isPair = kind === 'changed'
  const load = (side: 'client' | 'upstream') => store.comparedValue(turn.id, { exchange, row: row.id, side })
  return (
    <div class={`comparison-row ${isFolded(kind) ? 'kind-folded' : `kind-${kind}`}`}>
      <button type="button" class="row-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="kind">
          <span aria-hidden="true">{sign}</span> {row.repaired ? 'repaired' : word}
        </span>
        <span class="label">{label}</span>
        {isOpen ? null : (
          <>
            <Preview name="Client" label={label} side={client} other={isPair ? upstream?.text : undefined} />
            <Preview
              name="Upstream"
              label={label}
              side={upstream}
              other={isPair ? client?.text : undefined}
              inside={row.inside}
            />
          </>
        )}
      </button>
      {isOpen ? (
        <div class="row-values">
          <Value name="Client" side={client} load={() => load('client')} />
          <Value name="Upstream" side={upstream} load={() => load('upstream')} inside={row.inside} />
        </div>
      ) : null}
      {row.notes?.map((number) => (
        <p key={number} class="row-note">
          <b>Note</b> {notes[number]}
        </p>
      ))}
    </div>
  )
}

interface SideProps {
  name: string
  side: SideView | undefined
  inside?: string | undefined
}

function Preview({
  name,
  label,
  side,
  other,
  inside,
}: SideProps & { label: string; other: string | undefined }) {
  const { isLate, before, changed, after } = changedPart(side?.text ?? '', other)
  return (
    <span class="side">
      <span class="side-name">{name}</span>
      {side ? (
        <>
          {side.path === label ? null : <code class="path">{side.path}</code>}
          <span class="value" dir="auto">
            {isLate ? '…' : ''}
            {visible(before)}
            {changed === '' ? null : <mark>{visible(changed)}</mark>}
            {visible(after)}
          </span>
        </>
      ) : (
        <Nothing inside={inside} />
      )}
    </span>
  )
}

const Nothing = ({ inside }: { inside: string | undefined }) =>
  inside === undefined ? (
    <span class="nothing">not there</span>
  ) : (
    <span class="nothing">
      inside the text of <code>{inside}</code>
    </span>
  )

/** Characters that are rendered at once: more would hold the page. */
const slice = 100_000

function Value({ name, side, load, inside }: SideProps & { load(): Promise<string> }) {
  const [whole, setWhole] = useState<string>()
  const [most, setMost] = useState(slice)
  const [said, setSaid] = useState('')
  if (!side)
    return (
      <div class="side">
        <span class="side-name">{name}</span>
        <Nothing inside={inside} />
      </div>
    )
  const isCut = side.characters !== undefined && whole === undefined
  const full = async () => whole ?? (side.characters === undefined ? side.text : await load())
  const act = (work: Promise<string>) =>
    work.then(
      (words) => setSaid(words),
      () => setSaid('The value could not be loaded'),
    )
  return (
    <div class="side">
      <span class="side-name">{name}</span>
      <code class="path">{side.path}</code>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long value scrolls, also by keyboard */}
      <pre dir="auto" tabIndex={0}>
        {visible((whole ?? side.text).slice(0, most))}
      </pre>
      <div class="value-actions">
        {isCut ? (
          <button
            type="button"
            onClick={() =>
              act(
                full().then((text) => {
                  setWhole(text)
                  return ''
                }),
              )
            }
          >
            Show all {side.characters?.toLocaleString('en')} characters
          </button>
        ) : null}
        {whole !== undefined && whole.length > most ? (
          <button type="button" onClick={() => setMost(most + slice)}>
            Show more: {(whole.length - most).toLocaleString('en')} characters left
          </button>
        ) : null}
        <button
          type="button"
          onClick={() =>
            act(
              full()
                .then(toClipboard)
                .then(() => 'Copied'),
            )
          }
        >
          Copy
        </button>
        <span role="status">{said}</span>
      </div>
    </div>
  )
}
