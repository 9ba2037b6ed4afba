// What a failure says about the account that it happened to: docs/pools.md has the table. A fault of the request says nothing about
// any account, and one of the service nothing about a single one.

import type { ErrorCode, GatewayError } from '../errors.ts'

export type FaultClass = 'request' | 'config' | 'model' | 'auth' | 'money' | 'rate' | 'service'

export interface Fault {
  readonly kind: FaultClass
  readonly scope: 'none' | 'model' | 'account'
  /** How long it lasts, if the service or the rule says so. */
  readonly forMs?: number | undefined
  /** In the gateway's own words. */
  readonly reason: string
  /** The account may not use the model. */
  readonly isDenied?: true
  /** No other account is tried: that would look like evasion. */
  readonly isFinal?: true
}

interface FaultOptions {
  /** The service counts its rate limits for each model. */
  countsByModel: boolean
}

const minutes = 60_000
const hours = 60 * minutes

/** A model that the account does not have may be enabled by its owner at any time: asking again costs one refused request. */
const missingModelMs = 5 * minutes
/**
 * A plan is changed by its owner, and hardly ever within a day. Each try would cost a turn its time, and looks like a search for
 * gaps. `dragoman accounts clear`, another key or a login end it at once.
 */
const notInPlanMs = 12 * hours
const unknownQuotaMs = hours
/** A longer wait is a used-up quota, whatever its status. */
const longestRateMs = 10 * minutes
const longestMs = 31 * 24 * hours

/** The service may take the next account for an evasion of its measures. */
const abuse = /\b(?:invalidated|abus\w+|suspicious|suspended|banned|terms of (?:service|use)|violat\w+)\b/i
/** About the key and not about what it may do. */
const deadKey = /\b(?:revoked|disabled|deactivated|expired|invalid|api.?key|token)\b/i
/** Not `upgrade` alone, which a client may be told to do. */
const notInPlan = /\b(?:plan|tier|subscription|not (?:included|entitled|available to))\b/i
const missingFor = (said: string) => (notInPlan.test(said) ? notInPlanMs : missingModelMs)
/** Anthropic: a 429 that says what the request needs. */
const needsMore = /extra usage is required/i

const ofRequest = new Set<ErrorCode>([
  'invalid-request',
  'context-overflow',
  'payload-too-large',
  'unsupported-media',
  'method-not-allowed',
  'misdirected',
  'conflict',
  'canceled',
  'internal',
])

const nothing = (kind: FaultClass, reason: string): Fault => ({ kind, scope: 'none', reason })

export function faultOf(error: GatewayError, options: FaultOptions): Fault {
  const { code, upstream, ownFault } = error
  const status = upstream?.status === undefined || upstream.status < 400 ? '' : ` (HTTP ${upstream.status})`
  if (ofRequest.has(code) || ownFault) return nothing('request', `the request was refused${status}`)
  switch (code) {
    case 'unsupported':
    case 'upstream-challenge':
      return nothing('config', `the service does not take this client${status}`)
    case 'not-found':
      return missingModel(error, status)
    case 'unauthenticated':
    case 'forbidden':
    case 'upstream-credential':
      return refusedCredential(error, status)
    case 'quota-exhausted':
      return {
        kind: 'money',
        scope: error.ofModel ? 'model' : 'account',
        forMs: bounded(error.retryAfterMs ?? unknownQuotaMs),
        reason: `its quota${error.ofModel ? ' for the model' : ''} is used up${status}`,
      }
    case 'rate-limited':
      return rateLimit(error, status, options)
    default:
      return nothing('service', `the service failed${status}`)
  }
}

const bounded = (ms: number) => Math.min(ms, longestMs)

const wordsOf = ({ message, upstream }: GatewayError) => `${upstream?.excerpt ?? ''} ${message}`

function missingModel(error: GatewayError, status: string): Fault {
  if (error.detail !== 'model_not_found') return nothing('request', `nothing was found${status}`)
  const isSold = notInPlan.test(wordsOf(error))
  return {
    kind: 'model',
    scope: 'model',
    forMs: missingFor(wordsOf(error)),
    reason: isSold ? `its plan lacks the model${status}` : `it does not have the model${status}`,
  }
}

function refusedCredential(error: GatewayError, status: string): Fault {
  const said = error.upstream?.excerpt ?? ''
  if (abuse.test(said))
    return {
      kind: 'auth',
      scope: 'account',
      reason: `the service has locked the account${status}`,
      isFinal: true,
    }
  // What the account may not do is mostly about one model.
  if (error.upstream?.status === 403 && !deadKey.test(said))
    return {
      kind: 'model',
      scope: 'model',
      forMs: missingFor(said),
      reason: `it may not use the model${status}`,
      isDenied: true,
    }
  return { kind: 'auth', scope: 'account', reason: `its key or login was refused${status}` }
}

function rateLimit(error: GatewayError, status: string, { countsByModel }: FaultOptions): Fault {
  const { retryAfterMs } = error
  if (needsMore.test(wordsOf(error))) return nothing('request', `the request was refused${status}`)
  const scope = countsByModel ? 'model' : 'account'
  if (retryAfterMs !== undefined && retryAfterMs > longestRateMs)
    return {
      kind: 'money',
      scope,
      forMs: bounded(retryAfterMs),
      reason: `its usage limit is reached${status}`,
    }
  return { kind: 'rate', scope, forMs: retryAfterMs, reason: `its rate limit is reached${status}` }
}
