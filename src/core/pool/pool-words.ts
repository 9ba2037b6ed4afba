// Messages to clients about accounts: why a turn went to another account, or to none. They leave out the service's own words, which
// are only for the caller whose request they answered.

import { isoTime } from '../../base/iso-time.ts'
import { type ErrorCode, GatewayError } from '../errors.ts'
import type { Standing } from './health.ts'
import type { PickFacts } from './pick.ts'

type Refused = readonly { readonly account: string; readonly standing: Standing }[]

export function refusalOf(
  backend: string,
  refused: Refused,
  { model, pin }: PickFacts,
  now: number,
): GatewayError {
  if (refused.length === 0)
    return new GatewayError(
      'not-found',
      `${backend}: none of its accounts may be asked for "${model.slice(0, 200)}" ("models" of each account).`,
      { detail: 'model_not_found', param: 'model' },
    )
  const code = codeOf(refused)
  const lacksModel = code === 'not-found'
  const untils = refused.flatMap(({ standing }) => (isOfModel(standing) ? [] : (standing.until ?? [])))
  const told = refused.map(({ account, standing }) => `account "${account}": ${wordsOf(standing)}`).join('; ')
  const what = lacksModel
    ? `no account that may take this has the model "${model.slice(0, 200)}"`
    : 'no account can take this now'
  const cleared = refused.some(({ standing }) => standing.status === 'needs-login')
    ? `\`dragoman accounts clear ${backend}@ACCOUNT\` takes in one whose key or login the service accepts again. `
    : ''
  return new GatewayError(code, `${backend}: ${what}: ${told}. ${cleared}${remedyOf(code, pin)}`, {
    retryable: false,
    ...(lacksModel ? { detail: 'model_not_found', param: 'model' } : {}),
    ...(untils.length === 0 ? {} : { retryAfterMs: Math.max(1, Math.min(...untils) - now) }),
  })
}

/** The code tells the client what to do: wait, choose another model, or ask the operator. */
function codeOf(refused: Refused): ErrorCode {
  const statuses = new Set(refused.map(({ standing }) => standing.status))
  if (statuses.has('paused') || statuses.has('ready')) return 'rate-limited'
  if (statuses.has('out-of-quota')) return 'quota-exhausted'
  if (statuses.has('needs-login') || statuses.has('no-rights')) return 'upstream-credential'
  return statuses.has('no-model') ? 'not-found' : 'upstream-credential'
}

function remedyOf(code: ErrorCode, pin: string | undefined): string {
  if (pin !== undefined)
    return 'It is the account that the request names, or its key in the configuration: choose another.'
  if (code === 'not-found') return '`dragoman models` lists the models that there are.'
  return '`dragoman accounts` shows all of them, and an alias with a second backend continues meanwhile.'
}

/** To wait does not bring the model, so no client is told to. */
const isOfModel = ({ status }: Standing) => status === 'no-model' || status === 'no-rights'

function wordsOf(standing: Standing): string {
  const { status, reason, until } = standing
  if (status === 'ready') return 'it has just failed'
  if (until === undefined) return reason ?? ''
  return `${reason}, ${isOfModel(standing) ? 'asked again after' : 'until'} ${isoTime(until)}`
}

interface Move {
  from: string
  to: string
  standing: Standing | undefined
  /** The turn loses a run or reasoning that only `from` has. */
  isBound: boolean
}

export function moveNote({ from, to, standing, isBound }: Move): string {
  const why =
    standing === undefined ? 'is not configured any more' : `could not be used (${wordsOf(standing)})`
  const lost = isBound
    ? 'what it had kept of this turn is lost, and its prompt cache'
    : 'its prompt cache does not help there'
  return `account "${from}" ${why}; account "${to}" was used: ${lost}`
}
