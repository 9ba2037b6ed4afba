// The runs of all accounts of a session backend as one host: a session id leads to the account that has it.

import type { Delivery, SessionHost, TurnContext } from '../../core/backend.ts'
import type { Caller } from '../../core/caller.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { ToolResult, TurnRequest } from '../../core/request.ts'
import { sessionOf, sessionOfResults } from '../../core/session-id.ts'

type Continue = (
  account: string,
  request: TurnRequest,
  context: TurnContext,
  batches: AsyncIterable<TurnEvent[]>,
) => AsyncIterable<TurnEvent[]>

/** `watch` reports the outcome of a turn to the account that has the run. */
export function pooledSessions(hosts: ReadonlyMap<string, SessionHost>, watch: Continue): SessionHost {
  const all = [...hosts.values()]
  const hostOf = (sessionId: string | undefined) =>
    sessionId === undefined ? undefined : all.find((host) => host.has(sessionId))

  function resume(request: TurnRequest, context: TurnContext): AsyncIterable<TurnEvent[]> | undefined {
    const sessionId = sessionOfResults(request.messages)
    if (sessionId === undefined) return undefined
    for (const [account, host] of hosts) {
      const batches = host.has(sessionId) ? host.resume(request, context) : undefined
      if (batches) return watch(account, request, context, batches)
    }
    return undefined
  }

  /** Each result to the account that has its run. The first host says what it says of unknown ones. */
  async function deliver(results: readonly ToolResult[], caller: Caller): Promise<Delivery[]> {
    return Promise.all(
      results.map(async (result): Promise<Delivery> => {
        const host = hostOf(sessionOf(result.callId)) ?? all[0]
        const [delivery] = (await host?.deliver([result], caller)) ?? []
        return delivery ?? { callId: result.callId, state: 'unknown' }
      }),
    )
  }

  return {
    has: (sessionId) => hostOf(sessionId) !== undefined,
    resume,
    deliver,
    onOutput: (callId, stream, text) => hostOf(sessionOf(callId))?.onOutput?.(callId, stream, text),
    drop: (sessionId) => hostOf(sessionId)?.drop(sessionId),
    dropWaiting() {
      for (const host of all) host.dropWaiting()
    },
    counts() {
      const sum = { answering: 0, waiting: 0, waitingBytes: 0 }
      for (const host of all) {
        const { answering, waiting, waitingBytes } = host.counts()
        sum.answering += answering
        sum.waiting += waiting
        sum.waitingBytes += waitingBytes
      }
      return sum
    },
    list: () => all.flatMap((host) => host.list?.() ?? []),
    modelOf: (sessionId) => hostOf(sessionId)?.modelOf?.(sessionId),
    onGone(listener) {
      for (const host of all) host.onGone(listener)
    },
  }
}
