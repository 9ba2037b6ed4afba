// What happens in a turn without the services: keep-alives, and a client that leaves. Each has its place on the tape.

import { isKeepAlive } from '../tapes/client-side.ts'
import type { Frame } from '../tapes/frame.ts'

export interface Cue {
  what: 'keep-alive' | 'gone'
  /** The index on the tape. */
  frame: number
}

export function cuesOf(frames: readonly Frame[]): Cue[] {
  return frames.flatMap((body, frame): Cue[] => {
    if (body.side !== 'client') return []
    if (body.do === 'gone') return [{ what: 'gone', frame }]
    return body.do === 'write' && isKeepAlive(body.text) ? [{ what: 'keep-alive', frame }] : []
  })
}
