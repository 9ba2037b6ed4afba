// The check for public unicast addresses. All others lead to this machine, its network or a cloud's metadata service, and a
// model that fetches from there follows an injected instruction.

import net from 'node:net'

const notPublic = new net.BlockList()
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Azure's internal service at a public address.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  notPublic.addSubnet(address, bits, 'ipv4')

/** All allocated unicast addresses; mapped, translated (64:ff9b::), local and multicast ones are outside. */
const allocated = new net.BlockList()
allocated.addSubnet('2000::', 3, 'ipv6')
for (const [address, bits] of [
  // Protocols, tunnels (Teredo) and tests.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4: embeds any IPv4 address.
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  notPublic.addSubnet(address, bits, 'ipv6')

export function isPublicAddress(address: string): boolean {
  const family = net.isIP(address)
  if (family === 4) return !notPublic.check(address, 'ipv4')
  // A zone ("%eth0") means a link-local address.
  if (family !== 6 || address.includes('%')) return false
  return allocated.check(address, 'ipv6') && !notPublic.check(address, 'ipv6')
}
