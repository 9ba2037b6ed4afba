// The bars of a time chart: one tab stop, arrow keys move between bars, and each bar shows its facts.

import { useRef, useState } from 'preact/hooks'

interface BarShape {
  words: string
  kind: string
  x: number
  y: number
  width: number
  height: number
  /** For a bar that is a link. */
  onChoose?: () => void
  isChosen?: boolean
}

export function Bars({ bars, onSay }: { bars: readonly BarShape[]; onSay(words: string): void }) {
  const [at, setAt] = useState(0)
  const elements = useRef<(SVGGElement | null)[]>([])
  const stop = Math.min(at, bars.length - 1)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (event.key === 'Enter') bars[stop]?.onChoose?.()
    else if (step !== 0) elements.current[Math.max(0, Math.min(bars.length - 1, stop + step))]?.focus()
    else return
    event.preventDefault()
  }
  return (
    <>
      {bars.map(({ words, kind, onChoose, isChosen, ...shape }, index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: it is a button or a picture, and either can be focused
        <g
          key={index}
          ref={(element) => {
            elements.current[index] = element
          }}
          tabindex={index === stop ? 0 : -1}
          role={onChoose ? 'button' : 'img'}
          aria-label={words}
          {...(onChoose ? { 'aria-pressed': isChosen ?? false, onClick: onChoose } : {})}
          class="segment"
          onKeyDown={onKeyDown}
          onMouseEnter={() => onSay(words)}
          onFocus={() => {
            setAt(index)
            onSay(words)
          }}
        >
          <rect class={`${kind} ${isChosen ? 'chosen' : ''}`} {...shape} rx="2" />
        </g>
      ))}
    </>
  )
}
