import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'

interface Tab {
  name: string
  number?: number
  content(): ComponentChildren
}

export function Tabs({ tabs }: { tabs: readonly Tab[] }) {
  const [at, setAt] = useState(0)
  const buttons = useRef<(HTMLButtonElement | null)[]>([])
  const go = (to: number) => {
    const next = (to + tabs.length) % tabs.length
    setAt(next)
    buttons.current[next]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight') go(at + 1)
    else if (event.key === 'ArrowLeft') go(at - 1)
  }
  return (
    <div class="tabs">
      <div role="tablist" aria-label="What happened" onKeyDown={onKeyDown}>
        {tabs.map(({ name, number }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${index}`}
            aria-selected={index === at}
            aria-controls="tab-panel"
            tabIndex={index === at ? 0 : -1}
            ref={(element) => {
              buttons.current[index] = element
            }}
            onClick={() => setAt(index)}
          >
            {name}
            {number === undefined ? null : <span class="muted number"> {number}</span>}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a panel is a stop of its own, so that it can be scrolled */}
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${at}`} tabIndex={0}>
        {tabs[at]?.content()}
      </div>
    </div>
  )
}
