// Whom a simulator answers: a web page that has led its own name to this machine (DNS rebinding) is not one of them.

const loopback = /^(127\.0\.0\.1|\[::1\]|localhost\.?)(:\d{1,5})?$/i
const loopbackAddresses = new Set(['127.0.0.1', '::1', 'localhost'])

/** Says whether the request may be answered. Where a simulator listens for others on purpose, any name will do. */
export function isServedHost(
  host: string | undefined,
  address: string,
  names: readonly string[] = [],
): boolean {
  return !loopbackAddresses.has(address) || loopback.test(host ?? '') || names.includes(host ?? '')
}

export const misdirected = 'This Host is not served here; call the simulator by 127.0.0.1 or localhost.\n'
