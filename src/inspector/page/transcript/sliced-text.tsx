// A long text, as it is. It is cut into pieces, at line ends where there are any, and rendered piece by piece.

import { useMemo } from 'preact/hooks'
import { Sliced } from './sliced.tsx'
import { piecesOf } from './text-pieces.ts'

/** Pieces at once. */
const step = 4

export function SlicedText({ text }: { text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text])
  if (pieces.length === 1) return <pre dir="auto">{pieces[0]}</pre>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section dir="auto" class="pre long" aria-label="Long text" tabIndex={0}>
      <Sliced items={pieces} step={step} name="more of this text">
        {(piece) => piece}
      </Sliced>
    </section>
  )
}
