// The accounts of a backend: what is configured, what is known of their state, and what is shown of it.

/** As configured; a backend with a plain key or login has one account, called `default`. */
export interface AccountSettings {
  readonly name: string
  /** Higher ones are used first. */
  readonly priority: number
  /** Its share among accounts of the same priority. */
  readonly weight: number
  /** Turns at the same time. */
  readonly maxConcurrent?: number | undefined
  /** The models that it may be asked for; absent: all. */
  readonly models?: readonly string[] | undefined
}

export interface PoolSettings {
  readonly policy: 'stick' | 'fill' | 'spread'
  /** How long a conversation stays with its account after its last turn. */
  readonly affinityMs: number
  readonly failover: 'auto' | 'never'
  /** The longest wait for a paused account. */
  readonly maxWaitMs: number
}

/** `no-model` and `no-rights` are of one model: the account does not have it, or may not use it. */
export type CoolingStatus = 'paused' | 'no-model' | 'no-rights' | 'out-of-quota' | 'needs-login'

/** Why and until when an account, or one model of it, is not used. */
export interface Cooling {
  readonly status: CoolingStatus
  /** In the gateway's own words: other callers get to see it. */
  readonly reason: string
  readonly since: number
  /** Absent: until somebody clears it. */
  readonly until?: number | undefined
  /** A turn that began at `since` has succeeded. The entry stays, because other instances still have what it ended. */
  readonly isOver?: true | undefined
}

/** What instances tell each other of an account. */
export interface Health {
  readonly account?: Cooling | undefined
  readonly models: ReadonlyMap<string, Cooling>
  /** Refusals without a time, one after the other. */
  readonly level: number
  /** When `level` changed last. */
  readonly levelAt: number
  /** Since when the operator has taken it out. */
  readonly disabled?: number | undefined
  /** Everything up to this time is forgotten, on the operator's order. */
  readonly clearedAt: number
  /** When the operator disabled or enabled it last. */
  readonly switchedAt: number
}

export const healthy: Health = {
  models: new Map(),
  level: 0,
  levelAt: -1,
  clearedAt: -1,
  switchedAt: -1,
}

/** A limit of the service, as its headers tell it. */
export interface LimitWindow {
  readonly name: string
  readonly limit: number
  readonly remaining: number
  /** Milliseconds since 1970. */
  readonly reset: number
}

export type AccountStatus = 'ready' | 'disabled' | CoolingStatus

/** An account for people: no secret, no e-mail address. */
export interface AccountView {
  readonly backend: string
  readonly account: string
  readonly state: AccountStatus
  readonly reason?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Models that are out alone. */
  readonly models: readonly (Cooling & { readonly model: string })[]
  readonly windows: readonly (LimitWindow & { readonly model: string; readonly usedPercent: number })[]
  /** Conversations that stay with it. */
  readonly conversations: number
  readonly inFlight: number
  /** The backend has no other: its turns are not counted here. */
  readonly isAlone?: boolean | undefined
  readonly turns24h: number
  readonly errors24h: number
  readonly lastError?: { readonly at: number; readonly code: string; readonly message: string } | undefined
}
