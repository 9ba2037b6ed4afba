// The selected turn: the opened one, which is in the address, or the one that the keys have reached.

import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Place } from './address.ts'

interface Latest {
  ids: readonly string[]
  selected: string | undefined
}

export interface Selection {
  /** Undefined if the list is empty, or the opened turn is not known. */
  selected: string | undefined
  /** The user chose it; else it is the first of the list. */
  isChosen: boolean
  /** The opened turn is in the address, but not known. */
  unknown: string | undefined
  /** On a phone: the turn covers the list. */
  isOpen: boolean
  choose(id: string, open: boolean): void
  close(): void
  /** The current values, not those of the last render: keys may arrive faster. */
  latest: { readonly current: Readonly<Latest> }
}

/** `ids`: the turns of the list. The first is selected if no turn was chosen since the filter changed. */
export function useSelection(
  ids: readonly string[],
  turns: ReadonlyMap<string, unknown>,
  { list, place }: { list: RefObject<HTMLElement | null>; place: Place },
): Selection {
  const { address, go } = place
  const [reached, setReached] = useState(address.turn)
  const opened = useRef(address.turn)
  // The back button, or a link within the page.
  if (opened.current !== address.turn) {
    opened.current = address.turn
    setReached(address.turn)
  }
  const filter = useRef(address.filter)
  useEffect(() => {
    if (filter.current === address.filter) return
    filter.current = address.filter
    // A turn that the filter hides is not what its user looks for.
    if (reached !== undefined && !ids.includes(reached)) {
      setReached(undefined)
      if (address.turn !== undefined) go({ turn: undefined, versus: undefined }, false)
    }
  }, [address.filter])
  const unknown = reached !== undefined && !turns.has(reached) ? reached : undefined
  const selected = unknown === undefined ? (reached ?? ids[0]) : undefined
  const latest = useRef<Latest>({ ids, selected })
  latest.current = { ids, selected }

  const choose = (id: string, open: boolean) => {
    setReached(id)
    latest.current.selected = id
    if (!open) return
    opened.current = id
    // On a phone, the browser's back button returns to the list.
    go({ turn: id, versus: undefined }, address.turn === undefined)
  }
  const close = () => {
    opened.current = undefined
    if (unknown !== undefined) setReached(undefined)
    go({ turn: undefined, versus: undefined }, false)
    list.current?.focus()
  }
  return {
    selected,
    isChosen: reached !== undefined,
    unknown,
    isOpen: address.turn !== undefined,
    choose,
    close,
    latest,
  }
}
