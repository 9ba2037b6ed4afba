// Loads the transcript of a turn, again while the turn runs or its conversation grows; the longer a load takes, the less often.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { TurnSummary } from '../../api.ts'
import type { Transcript } from '../../transcript-api.ts'
import type { Conversation } from '../conversations.ts'
import type { Store } from '../store.ts'

const shortestPauseMs = 300
/** For changes of other turns. */
const otherPauseMs = 1_500

export function useTranscript(
  turn: TurnSummary,
  conversation: Conversation,
  store: Store,
): Transcript | undefined {
  const [loaded, setLoaded] = useState<{ transcript: Transcript; all: string }>()
  const took = useRef(0)
  const all = conversation.turns.map(stampOf).join(' ')
  const latest = useRef(all)
  latest.current = all
  const isStale = !loaded || stampOf(loaded.transcript.summary) !== stampOf(turn)
  const hasGrown = loaded?.all !== all
  useEffect(() => {
    if (!isStale && !hasGrown) return
    let isOver = false
    const pause = loaded ? Math.max(isStale ? shortestPauseMs : otherPauseMs, 10 * took.current) : 0
    const timer = setTimeout(async () => {
      const [before, seen] = [performance.now(), latest.current]
      const transcript = await store.transcript(turn.id).catch(() => undefined)
      took.current = performance.now() - before
      if (!isOver && transcript && transcript !== 'gone') setLoaded({ transcript, all: seen })
    }, pause)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [turn.id, isStale, hasGrown, loaded])
  return loaded?.transcript
}

/** A cut turn continues without frames. */
const stampOf = ({ id, frames, running, cut, milliseconds }: TurnSummary) =>
  `${id} ${frames} ${running}${cut && running ? ` ${milliseconds}` : ''}`
