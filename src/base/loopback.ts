// Loopback addresses.

import { isIP } from 'node:net'

/** Takes a `listen.host`, or the host of a URL (`[::1]`). */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}
