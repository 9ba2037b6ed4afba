// Where the gateway may listen: on loopback always, elsewhere only with configured keys of sufficient length.

import { isLoopback } from '../base/loopback.ts'
import type { Config } from '../config/schema.ts'

const longKey = 32

/**
 * Why this configuration must not listen; undefined if it may. Open ports with weak keys are how other gateways were broken into.
 */
export function bindProblem({ listen: { host }, auth }: Config): string | undefined {
  if (isLoopback(host)) return undefined
  if (auth === 'none') return `"auth": "none" is for loopback only, not for ${host}; set "auth.keys".`
  if (auth === undefined) {
    return `Listening on ${host} is refused without a key: set "auth.keys" with a key of at least ${longKey} characters.`
  }
  const weak = auth.keys.find(({ key }) => key.length < longKey)
  return (
    weak && `Listening on ${host} is refused: the key "${weak.name}" is shorter than ${longKey} characters.`
  )
}
