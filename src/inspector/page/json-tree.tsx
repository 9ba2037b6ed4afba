// A JSON value as a tree that opens on click. Closed nodes are not rendered: large values stay cheap.

import { useState } from 'preact/hooks'

interface TreeProps {
  name?: string
  value: unknown
  isOpen?: boolean
}

const step = 100
const longestText = 2_000

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
  const isLong = text.length > longestText && !isWhole
  return (
    <div class="leaf">
      {name === undefined ? null : <span class="key">{name} </span>}
      <span class={typeof value}>{isLong ? text.slice(0, longestText) : text}</span>
      {isLong ? (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      ) : null}
    </div>
  )
}

const isSmall = (value: unknown) => {
  const text = JSON.stringify(value)
  return text !== undefined && text.length < 300
}

/** The beginning of the content. */
const hint = (value: object) => JSON.stringify(value).slice(0, 80)
