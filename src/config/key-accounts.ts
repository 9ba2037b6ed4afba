// The accounts that a key of the gateway has for its own, by backend.

import { accountNames } from './accounts.ts'
import type { Config } from './schema.ts'

type Keyed = Pick<Config, 'auth' | 'backends'>

const keysOf = ({ auth }: Pick<Config, 'auth'>) => (typeof auth === 'object' ? auth.keys : [])

const split = (name: string): [backend: string, account: string] => {
  const at = name.indexOf('@')
  return [name.slice(0, at), name.slice(at + 1)]
}

export function keyAccountProblems(config: Keyed): string[] {
  return keysOf(config).flatMap(({ accounts = [] }, at) => {
    const path = `auth.keys[${at}].accounts`
    const seen = new Set<string>()
    return accounts.flatMap((named) => {
      const [backend, account] = split(named)
      const known = Object.hasOwn(config.backends, backend) ? config.backends[backend] : undefined
      if (!known || !accountNames(known).includes(account))
        return [`${path}: "${named}" must be BACKEND@ACCOUNT with an account of this file`]
      if (seen.has(backend)) return [`${path}: "${backend}" has two accounts; a key uses one of each backend`]
      seen.add(backend)
      return []
    })
  })
}

/** The account by the key's name and the backend's. */
export function keyAccountsOf(config: Pick<Config, 'auth'>) {
  const accounts = new Map(
    keysOf(config).map(({ name, accounts: own = [] }) => [name, new Map(own.map(split))]),
  )
  return (key: string, backend: string): string | undefined => accounts.get(key)?.get(backend)
}
