// Looks for the words of the filter in the content of all turns: a moment after the last key, and again when turns have ended.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { TurnSummary } from '../api.ts'
import { parseFilter } from '../turn-filter.ts'
import type { Hits } from './conversations.ts'
import type { Store } from './store.ts'

export interface Search {
  hits: Hits
  isSearching: boolean
  hasMore: boolean
}

const [typingMs, againMs] = [200, 3_000]
const none: Search = { hits: new Map(), isSearching: false, hasMore: false }

export function useSearch(store: Store, text: string, turns: ReadonlyMap<string, TurnSummary>): Search {
  const [found, setFound] = useState<Search & { text: string }>({ ...none, text: '' })
  const hasWords = parseFilter(text).words.length > 0
  const ended = useRef(0)
  ended.current = hasWords ? [...turns.values()].filter(({ running }) => !running).length : 0
  useEffect(() => {
    if (!hasWords) return
    const stop = new AbortController()
    let searched = -1
    const search = () => {
      if (searched === ended.current) return
      searched = ended.current
      store.search(text, stop.signal).then(
        ({ hits, more, missing = [] }) =>
          setFound({
            hits: new Map(hits.map(({ turn, found: places }) => [turn, places])),
            ...{ hasMore: more || missing.length > 0, isSearching: false, text },
          }),
        () => !stop.signal.aborted && setFound({ ...none, text }),
      )
    }
    const timer = setTimeout(search, typingMs)
    const again = setInterval(search, againMs)
    return () => {
      clearTimeout(timer)
      clearInterval(again)
      stop.abort()
    }
  }, [text, hasWords])
  if (!hasWords) return none
  return found.text === text ? found : { ...none, isSearching: true }
}
