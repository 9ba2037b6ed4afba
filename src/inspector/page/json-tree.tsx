// A JSON value as a tree that opens on click. Closed nodes are not rendered: large values stay cheap.

import { useState } from 'preact/hooks'
import { SlicedText } from './transcript/sliced-text.tsx'
import { beginningOf } from './transcript/text-pieces.ts'

interface TreeProps {
  name?: string
  value: unknown
  isOpen?: boolean
}

const step = 100
const folded = { characters: 1_200, lines: 12 }

export function JsonTree({ name, value, isOpen = false }: TreeProps) {
  const [open, setOpen] = useState(isOpen)
  if (typeof value !== 'object' || value === null)
    return <Leaf {...(name === undefined ? {} : { name })} value={value} />
  const entries = Object.entries(value)
  if (entries.length === 0) return <Leaf {...(name === undefined ? {} : { name })} value={value} />
  const kind = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`
  return (
    <details class="tree" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name === undefined ? null : <span class="key">{name} </span>}
        <span class="muted">{kind}</span> {open ? null : <span class="muted">{hint(value)}</span>}
      </summary>
      {open ? <Entries entries={entries} /> : null}
    </details>
  )
}

function Entries({ entries }: { entries: readonly [string, unknown][] }) {
  const [most, setMost] = useState(step)
  return (
    <>
      {entries.slice(0, most).map(([key, inner]) => (
        <JsonTree key={key} name={key} value={inner} isOpen={entries.length <= 3 || isSmall(inner)} />
      ))}
      {entries.length > most ? (
        <button type="button" class="more" onClick={() => setMost(most + step)}>
          Show {Math.min(step, entries.length - most)} more
        </button>
      ) : null}
    </>
  )
}

function Leaf({ name, value }: { name?: string; value: unknown }) {
  const [isWhole, setWhole] = useState(false)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const beginning = beginningOf(text, folded)
  const isLong = beginning.length < text.length
  return (
    <div class="leaf">
      {name === undefined ? null : <span class="key">{name} </span>}
      {isLong && isWhole ? (
        <SlicedText text={text} />
      ) : (
        <span class={typeof value} dir="auto">
          {beginning}
        </span>
      )}
      {isLong && !isWhole ? (
        <button type="button" class="small" onClick={() => setWhole(true)}>
          Show all, {text.length.toLocaleString('en')} characters
        </button>
      ) : null}
    </div>
  )
}

const smallText = 300

const isSmall = (value: unknown) => beginning(value, smallText).length < smallText

/** The beginning of the content. */
const hint = (value: object) => beginning(value, 80)

/** As JSON, up to a length: a large value is not written as a whole. */
function beginning(value: unknown, most: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, most)).slice(0, most)
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value)).slice(0, most)
  const isList = Array.isArray(value)
  let text = isList ? '[' : '{'
  for (const [name, inner] of Object.entries(value)) {
    if (text.length >= most) break
    const separator = text.length > 1 ? ',' : ''
    const key = isList ? '' : `${JSON.stringify(name.slice(0, most))}:`
    text += separator + key + beginning(inner, most - text.length)
  }
  return (text + (isList ? ']' : '}')).slice(0, most)
}
