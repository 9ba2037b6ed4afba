// A text that is folded while it is long: its beginning, and a button with its size.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { size } from '../format.ts'
import { beginningOf, type Limit } from './text-pieces.ts'
import type { Whole } from './use-whole.ts'

interface FoldedProps {
  whole: Whole
  /** Of the whole text. */
  length: number
  /** What is shown without unfolding. */
  most: Limit
  children(text: string): ComponentChildren
}

export function Folded({ whole, length, most, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(false)
  const shown = isOpen ? whole.text : beginningOf(whole.text, most)
  const isLong = length > beginningOf(whole.text, most).length
  const open = () => {
    setOpen(true)
    whole.load().catch(() => undefined)
  }
  return (
    <>
      {children(shown)}
      {isLong ? (
        <div class="fold">
          <button
            type="button"
            class="small"
            aria-expanded={isOpen}
            onClick={isOpen ? () => setOpen(false) : open}
          >
            {isOpen ? 'Show less' : `Show all, ${size(length)}`}
          </button>
          {whole.state === 'loading' ? <span role="status">Loading…</span> : null}
          {whole.state === 'failed' ? <span role="status">It is no longer kept.</span> : null}
        </div>
      ) : null}
    </>
  )
}
