// Keys with something around them that is not theirs, as they are copied from shells and documents. Nothing here shows a key.

import type { Config } from './schema.ts'

const quoted = /^(["'`‘“]).*["'`’”]$/s
const prefixed = /^bearer\s/i

/** What is wrong with the form of a key; undefined if nothing is. */
function keyFormProblem(key: string): string | undefined {
  if (quoted.test(key)) return 'has quotes around it, which are no part of the key; leave them out'
  return prefixed.test(key) ? 'begins with "Bearer", which is no part of the key; leave it out' : undefined
}

/** The key itself. */
export function bareKey(key: string): string {
  const text = key.trim()
  const rest = quoted.test(text) ? text.slice(1, -1) : prefixed.test(text) ? text.slice(7) : text
  return rest === text ? text : bareKey(rest)
}

/** Each with the setting. A header of its own may need the word `Bearer`. */
export function keyProblems({ backends, auth }: Config): string[] {
  const found: [path: string, key: string | undefined][] = Object.entries(backends).flatMap(
    ([name, backend]) => {
      const { apiKey, authHeader, accounts = [] } = backend as Credentials
      const keys: [string, string | undefined][] = [
        [`backends.${name}.apiKey`, apiKey],
        ...accounts.map((one, at): [string, string | undefined] => [
          `backends.${name}.accounts[${at}].apiKey`,
          one.apiKey,
        ]),
      ]
      return authHeader === undefined ? keys : keys.filter(([, key]) => !prefixed.test(key ?? ''))
    },
  )
  if (typeof auth === 'object')
    found.push(...auth.keys.map(({ key }, at): [string, string] => [`auth.keys[${at}].key`, key]))
  return found.flatMap(([path, key]) => {
    const problem = key === undefined ? undefined : keyFormProblem(key)
    return problem === undefined ? [] : [`${path}: ${problem}`]
  })
}

interface Credentials {
  apiKey?: string
  authHeader?: string
  accounts?: readonly { apiKey?: string }[]
}
