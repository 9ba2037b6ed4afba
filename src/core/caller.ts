// The caller of a turn. What the gateway remembers of one caller's turns (thinking, stored responses, sessions, tool waits) is
// never used for another.

export interface Caller {
  /** The name of the key that was sent. */
  readonly key: string
  /** The session that the client names: a program that runs the gateway in its own process, or Claude Code with each of its agents. */
  readonly session?: string | undefined
}

/**
 * One text for each caller: for map keys and digests, and for messages between instances, so it must not change. `KEY`, or
 * `KEY SESSION`. A blank in the key's name is written as `%20` (the configuration allows none), so the first blank ends the key.
 */
export const callerId = ({ key, session }: Caller): string =>
  session === undefined ? escaped(key) : `${escaped(key)} ${session}`

export function callerFromId(id: string): Caller {
  const blank = id.indexOf(' ')
  if (blank < 0) return { key: unescaped(id) }
  return { key: unescaped(id.slice(0, blank)), session: id.slice(blank + 1) }
}

export const isSameCaller = (one: Caller, other: Caller): boolean =>
  one.key === other.key && one.session === other.session

const escaped = (key: string) => (/[ %]/.test(key) ? key.replaceAll('%', '%25').replaceAll(' ', '%20') : key)

const unescaped = (key: string) => key.replaceAll('%20', ' ').replaceAll('%25', '%')
