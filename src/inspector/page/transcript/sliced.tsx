// A long list in slices: the next one is rendered when the end comes near, so that nothing that is out of sight costs time.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface SlicedProps<Item> {
  items: readonly Item[]
  step: number
  /** What the button says is left. */
  name: string
  children(item: Item, at: number): ComponentChildren
}

/** How far below the visible part the next slice begins to be rendered. */
const margin = '600px'

export function Sliced<Item>({ items, step, name, children }: SlicedProps<Item>) {
  const [most, setMost] = useState(step)
  const end = useRef<HTMLButtonElement>(null)
  const isWhole = items.length <= most
  useEffect(() => {
    if (!end.current) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setMost((before) => before + step)
      },
      { rootMargin: margin },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [most, isWhole])
  return (
    <>
      {items.slice(0, most).map((item, at) => (
        <div key={at} class="slice">
          {children(item, at)}
        </div>
      ))}
      {isWhole ? null : (
        <button type="button" class="more" ref={end} onClick={() => setMost(most + step)}>
          Show {name}
        </button>
      )}
    </>
  )
}
