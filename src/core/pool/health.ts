// What is learned of an account from the outcomes of its turns. Pure: the clock is an argument.

import { type AccountStatus, type Cooling, type CoolingStatus, type Health, healthy } from './account.ts'
import type { Fault } from './faults.ts'

/** Without a time of the service: 1 s, then twice as long each time, up to 5 minutes. */
const firstPauseMs = 1_000
const longestPauseMs = 5 * 60_000
const highestLevel = 9
/** Clients can invent model names. */
const mostModels = 50
const longestModel = 300

export interface Outcome {
  model: string
  /** When the turn was sent to the account. */
  startedAt: number
  /** Absent: it succeeded. */
  fault?: Fault | undefined
}

export function learn(health: Health, { model, startedAt, fault }: Outcome, now: number): Health {
  if (!fault) return afterSuccess(health, { model, startedAt }, now)
  if (fault.scope === 'none') return health
  const found = fault.scope === 'account' ? health.account : health.models.get(model)
  const known = found?.isOver ? undefined : found
  // Turns that were under way when the limit was reached all tell the same: they are one event.
  const isSameEvent = known !== undefined && startedAt <= known.since
  const level =
    isSameEvent || fault.forMs !== undefined ? health.level : Math.min(health.level + 1, highestLevel)
  const cooling = merged(known, coolingOf(fault, isSameEvent ? level : health.level, now), isSameEvent)
  const leveled = withLevel(health, level, now)
  if (fault.scope === 'account') return { ...leveled, account: cooling }
  if (model.length > longestModel) return health
  const models = new Map([...health.models].filter(([, { until }]) => until === undefined || until > now))
  models.delete(model)
  models.set(model, cooling)
  for (const oldest of models.keys()) if (models.size > mostModels) models.delete(oldest)
  return { ...leveled, models }
}

/** Each change is newer than those that are known, whatever the clock says. */
const withLevel = (health: Health, level: number, now: number): Health =>
  level === health.level ? health : { ...health, level, levelAt: Math.max(now, health.levelAt + 1) }

function coolingOf(fault: Fault, level: number, since: number): Cooling {
  const { kind, forMs, reason } = fault
  if (kind === 'auth') return { status: 'needs-login', reason, since }
  const ms = forMs ?? Math.min(firstPauseMs * 2 ** level, longestPauseMs)
  return { status: statusOf(fault), reason, since, until: since + ms }
}

function statusOf({ kind, isDenied }: Fault): CoolingStatus {
  if (kind === 'model') return isDenied ? 'no-rights' : 'no-model'
  return kind === 'money' ? 'out-of-quota' : 'paused'
}

function merged(known: Cooling | undefined, next: Cooling, isSameEvent: boolean): Cooling {
  if (!known || !isSameEvent || known.status !== next.status) return next
  if (known.until === undefined || next.until === undefined) return known
  return { ...known, until: Math.max(known.until, next.until) }
}

/** A turn that began before the limit was reached says nothing about it. */
function afterSuccess(health: Health, { model, startedAt }: Outcome, now: number): Health {
  const { account, models, level } = health
  const ofModel = models.get(model)
  const ended = (cooling: Cooling | undefined): Cooling | undefined =>
    cooling && !cooling.isOver && startedAt > cooling.since
      ? { ...cooling, since: startedAt, isOver: true }
      : cooling
  const [nextAccount, nextOfModel] = [ended(account), ended(ofModel)]
  if (level === 0 && nextAccount === account && nextOfModel === ofModel) return health
  return {
    ...withLevel(health, Math.floor(level / 2), now),
    account: nextAccount,
    models: nextOfModel === undefined ? models : new Map(models).set(model, nextOfModel),
  }
}

/** Its quota should be there again, which one turn may try. */
export const isHalfOpen = ({ account, disabled }: Health, now: number): boolean =>
  disabled === undefined &&
  account?.status === 'out-of-quota' &&
  !account.isOver &&
  account.until !== undefined &&
  account.until <= now

export interface Standing {
  readonly status: AccountStatus
  readonly reason?: string | undefined
  readonly since?: number | undefined
  /** Absent for one that no time mends. */
  readonly until?: number | undefined
}

const ready: Standing = { status: 'ready' }

/** Whether the account can be asked for the model now. */
export function standingOf(
  { disabled, account, models }: Health,
  model: string | undefined,
  now: number,
): Standing {
  if (disabled !== undefined)
    return { status: 'disabled', reason: 'it was disabled by the operator', since: disabled }
  const ofModel = model === undefined ? undefined : models.get(model)
  return coolingAt(account, now) ?? coolingAt(ofModel, now) ?? ready
}

/** If the clock was set back, the cooling lasts as long as it was meant to from then on. */
export function coolingAt(cooling: Cooling | undefined, now: number): Cooling | undefined {
  if (!cooling || cooling.isOver) return undefined
  const { since, until } = cooling
  if (until === undefined) return cooling
  if (now < since) return { ...cooling, since: now, until: now + (until - since) }
  return now < until ? cooling : undefined
}

/** Coolings that a clock which was set back would make longer begin anew. */
export function withClock(health: Health, now: number): Health {
  const { account, models } = health
  const isAhead = (cooling: Cooling | undefined) => cooling !== undefined && cooling.since > now + tolerance
  if (!isAhead(account) && ![...models.values()].some(isAhead)) return health
  const shifted = (cooling: Cooling): Cooling =>
    isAhead(cooling) ? (coolingAt(cooling, now) ?? cooling) : cooling
  return {
    ...health,
    account: account && shifted(account),
    models: new Map([...models].map(([model, cooling]) => [model, shifted(cooling)])),
  }
}

/** Clocks of instances differ. */
const tolerance = 5_000

/**
 * What two instances know, together: the newest of each cooling and of the level, and the operator's last word. The order of the two
 * does not matter, nor how often they are merged.
 */
export function mergeHealth(one: Health, other: Health): Health {
  const clearedAt = Math.max(one.clearedAt, other.clearedAt)
  const newest = (a: Cooling | undefined, b: Cooling | undefined) =>
    [a, b].filter((cooling) => cooling !== undefined && cooling.since > clearedAt).sort(newestFirst)[0]
  const models = [...new Set([...one.models.keys(), ...other.models.keys()])]
    .flatMap((model): [string, Cooling][] => {
      const cooling = newest(one.models.get(model), other.models.get(model))
      return cooling ? [[model, cooling]] : []
    })
    .sort(([a, x], [b, y]) => x.since - y.since || (a < b ? -1 : 1))
  const byLevel = one.levelAt - other.levelAt || one.level - other.level
  const { level, levelAt } = byLevel > 0 ? one : other
  const bySwitch = one.switchedAt - other.switchedAt || (one.disabled ?? -1) - (other.disabled ?? -1)
  const { disabled, switchedAt } = bySwitch > 0 ? one : other
  return {
    ...{ account: newest(one.account, other.account), models: new Map(models.slice(-mostModels)) },
    ...{ level, levelAt, disabled, clearedAt, switchedAt },
  }
}

/** Of two that began at the same time, the one that is not over and lasts longer comes first. */
function newestFirst(a: Cooling | undefined, b: Cooling | undefined): number {
  if (!a || !b) return 0
  const until = (one: Cooling) => one.until ?? Number.MAX_VALUE
  return (
    b.since - a.since ||
    Number(a.isOver ?? false) - Number(b.isOver ?? false) ||
    until(b) - until(a) ||
    (`${a.status} ${a.reason}` < `${b.status} ${b.reason}` ? -1 : 1)
  )
}

export type AccountAction = 'clear' | 'disable' | 'enable'

export function act(health: Health, action: AccountAction, now: number): Health {
  const { disabled, switchedAt, levelAt } = health
  if (action === 'clear')
    return { ...healthy, levelAt: Math.max(now, levelAt + 1), clearedAt: now, disabled, switchedAt }
  return { ...health, disabled: action === 'disable' ? now : undefined, switchedAt: now }
}
