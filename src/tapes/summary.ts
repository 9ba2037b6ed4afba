// The summary of a tape: one line of `tape ls`.

import type { Frame, GatewayFrame, TapeHead } from './frame.ts'
import type { ReadTape } from './read.ts'

export interface TapeSummary {
  turn: string
  recordedAt: string
  door: string
  /** The model of the request. */
  model: string
  /** The last target: BACKEND/MODEL. */
  target: string | undefined
  outcome: string
  calls: number
  milliseconds: number
  frames: number
  continues?: string
  cut?: true
  /** Why it cannot be replayed. */
  notReplayable?: string
}

type GatewayFrameOf<What extends GatewayFrame['do']> = Extract<GatewayFrame, { do: What }> &
  Pick<Frame, 'at' | 'turn'>

export const gatewayFrames = <What extends GatewayFrame['do']>(frames: readonly Frame[], what: What) =>
  frames.filter((frame) => frame.side === 'gateway' && frame.do === what) as GatewayFrameOf<What>[]

/** The reason in the head, without its `no: `. */
export function notReplayable({ replay }: TapeHead): { notReplayable?: string } {
  const [, reason] = /^no: ([\s\S]+)$/.exec(replay ?? '') ?? []
  return reason === undefined ? {} : { notReplayable: reason }
}

export function summaryOf({ head, turn, frames }: ReadTape): TapeSummary {
  const [begin] = gatewayFrames(frames, 'begin')
  const target = gatewayFrames(frames, 'target').at(-1)
  const finish = gatewayFrames(frames, 'finish').at(-1)
  return {
    turn,
    recordedAt: head.recordedAt,
    door: begin?.door ?? 'unknown',
    model: begin?.model ?? 'unknown',
    target: target && `${target.backend}/${target.model}`,
    outcome: finish?.outcome ?? 'unfinished',
    calls: finish?.calls ?? 0,
    milliseconds: Math.max(0, ...frames.slice(-50).map(({ at }) => at)),
    frames: frames.length,
    ...(head.continues === undefined ? {} : { continues: head.continues }),
    ...(head.cut ? { cut: true } : {}),
    ...notReplayable(head),
  }
}
