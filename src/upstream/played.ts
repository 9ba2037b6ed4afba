// The part of a dispatcher that requests use. A replay answers them from a tape, without connections.

import type { Dispatcher } from './undici.ts'

export type PlayedHandler = Required<
  Pick<
    Dispatcher.DispatchHandler,
    'onRequestStart' | 'onResponseStart' | 'onResponseData' | 'onResponseEnd' | 'onResponseError'
  >
>

export interface PlayedDispatcher {
  dispatch(request: { path: string; method: string }, handler: PlayedHandler): boolean
  destroy(): Promise<void>
}
