// Keyboard: arrows or j and k move in the list, Enter opens the turn, Esc goes back, / focuses the filter.

import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Selection } from './selection.ts'

interface KeyActions {
  filter: HTMLInputElement | null
  list: HTMLElement | null
  move(steps: number): void
  open(): void
  close(): void
  clear(): void
}

interface KeyTargets extends Pick<Selection, 'choose' | 'close' | 'latest'> {
  clear(): void
  filter: RefObject<HTMLInputElement | null>
  list: RefObject<HTMLElement | null>
  heading: RefObject<HTMLElement | null>
}

const pageSteps = 10

export function useKeys({ latest, choose, close, clear, filter, list, heading }: KeyTargets): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) =>
      handleKey(event, {
        filter: filter.current,
        list: list.current,
        move: (steps) => {
          const { ids, selected = '' } = latest.current
          const next = ids[Math.max(0, Math.min(ids.length - 1, ids.indexOf(selected) + steps))]
          if (next === undefined) return
          choose(next, false)
          list.current?.focus({ preventScroll: true })
        },
        open: () => {
          const { selected } = latest.current
          if (selected === undefined) return
          choose(selected, true)
          setTimeout(() => heading.current?.focus())
        },
        close,
        clear,
      })
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}

function handleKey(event: KeyboardEvent, actions: KeyActions): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const target = event.target as HTMLElement
  const isTyping = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
  const isAtList = target === actions.list || target === document.body
  const act = actionFor(event.key, { isTyping, isAtList, actions })
  if (!act) return
  event.preventDefault()
  act()
}

function actionFor(
  key: string,
  { isTyping, isAtList, actions }: { isTyping: boolean; isAtList: boolean; actions: KeyActions },
): (() => void) | undefined {
  if (key === 'Escape')
    return () => {
      if (isTyping) actions.clear()
      actions.close()
    }
  if (isTyping) return key === 'Enter' || key === 'ArrowDown' ? () => actions.list?.focus() : undefined
  if (key === '/') return () => actions.filter?.focus()
  if (key === 'j') return () => actions.move(1)
  if (key === 'k') return () => actions.move(-1)
  if (!isAtList) return undefined
  const moves: Record<string, number> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: pageSteps,
    PageUp: -pageSteps,
    Home: Number.NEGATIVE_INFINITY,
    End: Number.POSITIVE_INFINITY,
  }
  const steps = moves[key]
  if (steps !== undefined) return () => actions.move(steps)
  return key === 'Enter' ? actions.open : undefined
}
