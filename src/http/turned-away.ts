// A request that is turned away at the door: nothing of it is read or kept, it is only counted by its reason.

import { type ErrorCode, GatewayError } from '../core/errors.ts'

/** A closed list: what a stranger sends must not make new lines. */
export const turnedAwayReasons = ['no-key', 'wrong-key', 'host', 'origin', 'login', 'peer'] as const

export type TurnedAwayReason = (typeof turnedAwayReasons)[number]

export class TurnedAway extends GatewayError {
  readonly reason: TurnedAwayReason

  constructor(reason: TurnedAwayReason, code: ErrorCode, message: string) {
    super(code, message)
    this.reason = reason
  }
}
