// Addresses that lead to this machine and nowhere else.

import { isIP } from 'node:net'

/** As in `listen.host`, or as a URL has it (`[::1]`). */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}
