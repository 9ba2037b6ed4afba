// Listen addresses that others can, or may be able to, reach.

import { networkInterfaces } from 'node:os'

/** What this machine is called by in its networks. */
const ownAddresses = Object.values(networkInterfaces())
  .flat()
  .flatMap((entry) => (entry && !entry.internal && !entry.address.startsWith('fe80') ? [entry.address] : []))
  .slice(0, 2)

export const exposedHosts: readonly string[] = [
  '0.0.0.0', '::', '', '0', '00.0.0.0', '0x0', '::0', '[::]', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', '10.0.0.7', '192.168.1.20', 'fe80::1',
  '169.254.1.1', '::ffff:127.0.0.1', '0:0:0:0:0:0:0:1', '127.1', '0x7f000001', '2130706433', '127.0.0.1.nip.io', '127.evil.example', 'localhost.evil.example',
  'localhost.', 'LOCALHOST', 'Localhost', 'localhost ', ' 127.0.0.1', 'evil.localhost', 'ip6-localhost', 'box.local', 'example.com',
] // biome-ignore format: a list to be read as one

export const reachableHosts = [...exposedHosts, ...ownAddresses]

export const weakAuths: readonly { name: string; auth: unknown }[] = [
  { name: 'no key', auth: undefined },
  { name: '"none"', auth: 'none' },
  { name: 'a key of 31 characters', auth: { keys: [{ name: 'a', key: 'k'.repeat(31) }] } },
  {
    name: 'a short key beside a long one',
    auth: {
      keys: [
        { name: 'a', key: 'k'.repeat(32) },
        { name: 'b', key: 'short-key' },
      ],
    },
  },
]

export const loopbackHosts = ['127.0.0.1', '127.0.0.2', '127.255.255.254', '::1', 'localhost'] as const
