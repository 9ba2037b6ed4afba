// Two turns side by side: their facts, requests and answers, with what differs marked.

import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { TurnOutline, TurnSummary } from '../api.ts'
import { Difference } from './difference.tsx'
import { factsOf } from './facts.tsx'
import type { Store } from './store.ts'

interface VersusProps {
  left: TurnSummary
  right: TurnSummary
  store: Store
  heading: RefObject<HTMLHeadingElement | null>
  onSwap(): void
  onClose(): void
  onBack(): void
}

export function Versus({ left, right, store, heading, onSwap, onClose, onBack }: VersusProps) {
  const one = useOutline(left, store)
  const other = useOutline(right, store)
  return (
    <article class="versus-view">
      <button type="button" class="back" onClick={onBack}>
        ← All turns
      </button>
      <div class="detail-head">
        <h2 ref={heading} tabIndex={-1}>
          Two turns compared
        </h2>
        <div class="actions">
          <button type="button" onClick={onSwap}>
            Swap
          </button>
          <button type="button" onClick={onClose}>
            Close the comparison
          </button>
        </div>
      </div>
      <FactTable {...{ left, right }} />
      {[one, other].map((outline) =>
        typeof outline === 'string' ? (
          <p key={outline} class="tool-problem" role="alert">
            {outline}
          </p>
        ) : null,
      )}
      {typeof one === 'object' && typeof other === 'object' ? (
        <>
          <Difference name="Request" left={one.request} right={other.request} />
          <Difference name="Answer" left={one.answer} right={other.answer} />
        </>
      ) : (
        <p class="muted">Loading…</p>
      )}
    </article>
  )
}

/** Undefined while it loads; a text for a failure. Loaded again when a running turn has ended. */
function useOutline({ id, running }: TurnSummary, store: Store): TurnOutline | string | undefined {
  const [outline, setOutline] = useState<{ of: string; is: TurnOutline | string }>()
  useEffect(() => {
    let isOver = false
    const set = (is: TurnOutline | string) => !isOver && setOutline({ of: id, is })
    store.outline(id).then(set, (error: Error) => set(error.message))
    return () => {
      isOver = true
    }
  }, [id, running])
  return outline?.of === id ? outline.is : undefined
}

function FactTable({ left, right }: Pick<VersusProps, 'left' | 'right'>) {
  const other = new Map(factsOf(right))
  const own = new Map(factsOf(left))
  const names = [...new Set([...own.keys(), ...other.keys()])]
  return (
    <table class="versus-facts">
      <thead>
        <tr>
          <th scope="col">Fact</th>
          <th scope="col">{left.title || left.model}</th>
          <th scope="col">{right.title || right.model}</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name} class={own.get(name) === other.get(name) ? '' : 'differs'}>
            <th scope="row">{name}</th>
            <td>{own.get(name) ?? '–'}</td>
            <td>{other.get(name) ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
