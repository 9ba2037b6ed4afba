import type { Frame } from '../../tapes/frame.ts'

/** What a transcript is made of: kept in memory, or read from a file. */
export interface TapedTurn {
  turn: string
  /** Milliseconds since 1970. */
  startedAt: number
  isOver: boolean
  frames: readonly Frame[]
}

type ClientRequest = Extract<Frame, { side: 'client'; do: 'request' }> & Frame

export const requestIn = ({ frames }: TapedTurn): ClientRequest | undefined =>
  frames.find((frame): frame is ClientRequest => frame.side === 'client' && frame.do === 'request')

/** Milliseconds since 1970; undefined while the turn runs. */
export function endOf({ isOver, startedAt, frames }: TapedTurn): number | undefined {
  if (!isOver) return undefined
  const end = frames.findLast(
    ({ side, do: what }) =>
      (side === 'gateway' && what === 'finish') || (side === 'client' && (what === 'end' || what === 'gone')),
  )
  return startedAt + (end?.at ?? frames.at(-1)?.at ?? 0)
}
