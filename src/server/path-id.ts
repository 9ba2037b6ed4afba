// The id in the path of a request.

import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'

/** The decoded text between `prefix` and `suffix`. */
export function idIn({ path }: Pick<Exchange, 'path'>, prefix: string, suffix = ''): string {
  try {
    return decodeURIComponent(path.slice(prefix.length, path.length - suffix.length))
  } catch (error) {
    throw new GatewayError('invalid-request', 'The path is not valid percent-encoding.', { cause: error })
  }
}
