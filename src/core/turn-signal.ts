// TurnSignal: cancels a turn when its client disconnects or the gateway stops.

import type { Latch } from '../base/latch.ts'
import { Cancellation, type Signal } from '../base/signal.ts'
import type { Sink } from './sink.ts'

interface TurnSignal {
  readonly signal: Signal
  /** The turn is over: stops listening. */
  release(): void
}

export function turnSignal(sink: Pick<Sink, 'onGone'>, stopping: Latch): TurnSignal {
  const signal = new Cancellation()
  const forgetSink = sink.onGone(() => signal.abort())
  const forgetStop = stopping.on((reason) => signal.abort(reason))
  const release = () => {
    forgetSink()
    forgetStop()
  }
  return { signal, release }
}

/** Runs `run` with a turn signal and releases it afterwards. */
export async function withTurnSignal<Result>(
  sink: Pick<Sink, 'onGone'>,
  stopping: Latch,
  run: (signal: Signal) => Promise<Result>,
): Promise<Result> {
  const { signal, release } = turnSignal(sink, stopping)
  try {
    return await run(signal)
  } finally {
    release()
  }
}
