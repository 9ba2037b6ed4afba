// Cloud metadata services answer on link-local addresses with credentials. No backend lives there, so no name and no
// literal may lead there, whatever DNS says.

import dns from 'node:dns'
import net from 'node:net'
import { GatewayError } from '../core/errors.ts'

const forbidden = new net.BlockList()
forbidden.addSubnet('169.254.0.0', 16, 'ipv4')
forbidden.addAddress('100.100.100.200', 'ipv4')
forbidden.addSubnet('fe80::', 10, 'ipv6')
forbidden.addAddress('fd00:ec2::254', 'ipv6')
forbidden.addAddress('fd20:ce::254', 'ipv6')

export function isForbiddenAddress(address: string): boolean {
  const family = net.isIP(address)
  if (family === 4) return forbidden.check(address, 'ipv4')
  if (family !== 6) return false
  // `new URL` has already written IPv4-mapped addresses in hex (::ffff:a9fe:a9fe); BlockList sees through both forms.
  return forbidden.check(address, 'ipv6') || forbidden.check(mappedIpv4(address) ?? '0.0.0.0', 'ipv4')
}

function mappedIpv4(address: string): string | undefined {
  const match = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address)
  if (!match) return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  const [high, low] = [Number.parseInt(match[1] ?? '', 16), Number.parseInt(match[2] ?? '', 16)]
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

export function refuseForbidden(host: string): void {
  const bare = host.replace(/^\[|\]$/g, '')
  if (!isForbiddenAddress(bare)) return
  throw new GatewayError(
    'forbidden',
    `${host} is a link-local or metadata address; a backend cannot be there.`,
  )
}

type Lookup = typeof dns.lookup

/** dns.lookup that refuses names resolving to a forbidden address. */
export const guardedLookup = ((
  hostname: string,
  options: dns.LookupOptions,
  callback: (...args: unknown[]) => void,
) => {
  dns.lookup(hostname, options, (error, address, family) => {
    const found = Array.isArray(address)
      ? address.map((entry: dns.LookupAddress) => entry.address)
      : [address]
    const bad = error ? undefined : found.find((entry) => isForbiddenAddress(String(entry)))
    if (bad)
      callback(
        new GatewayError('forbidden', `${hostname} resolves to ${bad}, a link-local or metadata address.`),
      )
    else callback(error, address, family)
  })
}) as unknown as Lookup
