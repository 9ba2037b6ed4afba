// The whole text of a part: the transcript holds the beginning of a long one.

import { createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import type { TranscriptPart } from '../../transcript-api.ts'
import type { Store } from '../store.ts'

export const StoreContext = createContext<Store | undefined>(undefined)

export interface Whole {
  text: string
  isWhole: boolean
  state: 'ready' | 'loading' | 'failed'
  /** The whole text, loaded once. */
  load(): Promise<string>
}

export function useWhole(part: TranscriptPart): Whole {
  const store = useContext(StoreContext)
  const [loaded, setLoaded] = useState<string>()
  const [state, setState] = useState<Whole['state']>('ready')
  const isMedia = part.kind === 'image' || part.kind === 'file'
  const isWhole = isMedia ? part.text !== '' || part.size === 0 : part.text.length >= part.size
  // A running answer grows.
  const isCurrent = loaded !== undefined && (isMedia || loaded.length >= part.size)
  const text = isWhole || !isCurrent ? part.text : loaded
  const load = async () => {
    if (isWhole || isCurrent || !store) return text
    setState('loading')
    try {
      const whole = await store.part(part)
      setLoaded(whole)
      setState('ready')
      return whole
    } catch (error) {
      setState('failed')
      throw error
    }
  }
  return { text, isWhole: isWhole || isCurrent, state, load }
}
