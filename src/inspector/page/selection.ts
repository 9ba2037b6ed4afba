// The selected turn. An opened turn is in the address, so the browser's back button and a reload find it.

import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface Latest {
  ids: readonly string[]
  selected: string | undefined
}

export interface Selection {
  selected: string | undefined
  /** On a phone: the turn covers the list. */
  isOpen: boolean
  choose(id: string, open: boolean): void
  close(): void
  /** The current values, not those of the last render: keys may arrive faster. */
  latest: { readonly current: Readonly<Latest> }
}

const turnInHash = () => /^#(turn_\w+)$/.exec(location.hash)?.[1]

/** `ids`: the turns of the list. The first is selected if no known turn was chosen. */
export function useSelection(
  ids: readonly string[],
  turns: ReadonlyMap<string, unknown>,
  list: RefObject<HTMLElement | null>,
): Selection {
  const [chosen, setChosen] = useState(turnInHash)
  const [isOpen, setOpen] = useState(turnInHash() !== undefined)
  const selected = chosen !== undefined && turns.has(chosen) ? chosen : ids[0]
  const latest = useRef<Latest>({ ids, selected })
  latest.current = { ids, selected }

  useEffect(() => {
    const onHash = () => {
      setChosen(turnInHash())
      setOpen(turnInHash() !== undefined)
    }
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [])

  const choose = (id: string, open: boolean) => {
    setChosen(id)
    latest.current.selected = id
    if (!open) return
    setOpen(true)
    // On a phone, the browser's back button returns to the list.
    if (turnInHash() === undefined) history.pushState(null, '', `#${id}`)
    else history.replaceState(null, '', `#${id}`)
  }
  const close = () => {
    setOpen(false)
    if (turnInHash() !== undefined) history.replaceState(null, '', location.pathname)
    list.current?.focus()
  }
  return { selected, isOpen, choose, close, latest }
}
