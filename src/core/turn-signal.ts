// The one signal of a turn: aborts when its client goes, or when the gateway stops.

import type { Sink } from './sink.ts'
import type { StopSwitch } from './stop-switch.ts'

export interface TurnSignal {
  readonly signal: AbortSignal
  /** The turn is over: nobody is to be told any more. */
  release(): void
}

export function turnSignal(sink: Pick<Sink, 'onGone'>, stopping: StopSwitch): TurnSignal {
  const controller = new AbortController()
  const forgetSink = sink.onGone(() => controller.abort())
  const forgetStop = stopping.on((reason) => controller.abort(reason))
  const release = () => {
    forgetSink()
    forgetStop()
  }
  return { signal: controller.signal, release }
}

/** For as long as `run` takes. */
export async function withTurnSignal<Result>(
  sink: Pick<Sink, 'onGone'>,
  stopping: StopSwitch,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { signal, release } = turnSignal(sink, stopping)
  try {
    return await run(signal)
  } finally {
    release()
  }
}
