// Address guard: refuses cloud metadata addresses. Metadata services answer on link-local addresses with credentials. No backend is
// there, so neither a literal address nor a DNS name may lead there.

import dns from 'node:dns'
import net from 'node:net'
import { GatewayError } from '../core/errors.ts'

const forbidden = new net.BlockList()
forbidden.addSubnet('169.254.0.0', 16, 'ipv4')
// Alibaba, Azure's host agent, Oracle.
for (const address of ['100.100.100.200', '168.63.129.16', '192.0.0.192'])
  forbidden.addAddress(address, 'ipv4')
forbidden.addSubnet('fe80::', 10, 'ipv6')
// Amazon, Google.
forbidden.addSubnet('fd00:ec2::', 32, 'ipv6')
forbidden.addAddress('fd20:ce::254', 'ipv6')

export function isForbiddenAddress(address: string): boolean {
  // Ignores the zone of a link-local address (`%eth0`).
  const [bare = ''] = address.split('%', 1)
  const family = net.isIP(bare)
  if (family === 4) return forbidden.check(bare, 'ipv4')
  if (family !== 6) return false
  return forbidden.check(bare, 'ipv6') || embeddedIpv4(bare).some((inner) => forbidden.check(inner, 'ipv4'))
}

/** The IPv4 addresses to which a translator or a tunnel would route this IPv6 address. */
function embeddedIpv4(address: string): string[] {
  const groups = groupsOf(address)
  const [first = 0, second = 0, third = 0] = groups
  const [high = 0, low = 0] = groups.slice(6)
  const start = groups.slice(0, 6).map((group) => group.toString(16))
  if (embedsInLastBits.test(start.join(':'))) return [dotted(high, low)]
  // 6to4, and Teredo, which inverts the bits.
  if (first === 0x2002) return [dotted(second, third)]
  return first === 0x2001 && second === 0 ? [dotted(high ^ 0xffff, low ^ 0xffff)] : []
}

/** The address is in the last 32 bits: mapped, compatible and translated addresses, NAT64 (RFC 6052 and 8215), ISATAP. */
const embedsInLastBits = /^(?:0:0:0:0:0:(?:0|ffff)|0:0:0:0:ffff:0|64:ff9b:.*|.*:(?:0|200):5efe)$/

const dotted = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255].join('.')

/** The eight groups of an IPv6 address in any notation. */
function groupsOf(address: string): number[] {
  const { hostname } = new URL(`http://[${address}]`)
  const [left = [], right = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
}

export function refuseForbidden(host: string): void {
  const bare = host.replace(/^\[|\]$/g, '')
  if (!isForbiddenAddress(bare)) return
  throw new GatewayError('forbidden', `${host} is a link-local or metadata address, which is not allowed.`)
}

type Lookup = typeof dns.lookup

/** `dns.lookup` that refuses names with a forbidden address. */
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
