// Figures of the running gateway: gauges, and the log lines and counts of circuit breakers.

import type { Backend } from '../core/backend.ts'
import { Breakers, type BreakersOptions, defaultBreakerPolicy } from '../core/breaker.ts'
import { accountsOf } from '../core/pool/views.ts'
import { errorFields } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics.ts'
import { addProcessGauges } from '../observe/process-gauges.ts'
import type { Observing } from '../observe/turn-observer.ts'

export function addGauges(
  metrics: Metrics,
  backends: () => Iterable<readonly [string, Backend]>,
  { active, connections }: Record<'active' | 'connections', () => number>,
): void {
  addProcessGauges(metrics)
  metrics.gauge('dragoman_connections', connections)
  metrics.gauge('dragoman_active_requests', active)
  const count = (kind: 'answering' | 'waiting' | 'waitingBytes') => () =>
    [...backends()].reduce((sum, [, { sessions }]) => sum + (sessions?.counts()[kind] ?? 0), 0)
  metrics.gauge('dragoman_sessions_answering', count('answering'))
  metrics.gauge('dragoman_sessions_waiting', count('waiting'))
  metrics.gauge('dragoman_sessions_waiting_bytes', count('waitingBytes'))
  addAccountGauges(metrics, backends)
}

function addAccountGauges(metrics: Metrics, backends: () => Iterable<readonly [string, Backend]>): void {
  const ofPools = (figure: 'inFlight' | 'conversations') =>
    accountsOf([...backends()].filter(([, { pool }]) => pool?.isSingle === false)).map(
      (view): [{ backend: string; account: string }, number] => [
        { backend: view.backend, account: view.account },
        view[figure],
      ],
    )
  metrics.gauges('dragoman_account_state', () =>
    accountsOf(backends()).map(({ backend, account, state }) => [{ backend, account, state }, 1]),
  )
  metrics.gauges('dragoman_account_inflight', () => ofPools('inFlight'))
  metrics.gauges('dragoman_account_bindings', () => ofPools('conversations'))
}

export function createBreakers(
  policy: Partial<BreakersOptions> | undefined,
  { log, metrics }: Observing,
): Breakers {
  const breakers = new Breakers({
    ...policy,
    onOpen: (address, failure) => {
      const { openMs } = { ...defaultBreakerPolicy, ...policy }
      log.warn('a model failed too often and is left alone', { ...address, openMs, ...errorFields(failure) })
      metrics.count('dragoman_breaker_opened_total', { ...address })
    },
    onClose: (address) => log.info('a model works again', { ...address }),
  })
  metrics.gauges('dragoman_breaker_open', () => breakers.open.map((address) => [{ ...address }, 1]))
  return breakers
}
