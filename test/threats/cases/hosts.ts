// Host names that an attacker's DNS can point at this machine, and names that only resemble ours.

/** `PORT` is replaced by the gateway's port. */
export const foreignHosts = [
  'evil.example', 'evil.example:PORT', 'evil.example:80', 'localhost.evil.example', 'evil.localhost', 'localhost.localdomain',
  '127.0.0.1.nip.io', '127.0.0.1.nip.io:PORT', '127-0-0-1.evil.example', '127.0.0.1.', '127.0.0.1.:PORT', 'localhost.', 'localhost.:PORT',
  'user@127.0.0.1', '127.0.0.1@evil.example', 'user:pass@localhost', 'localhost@evil.example:PORT', 'evil.example#@localhost',
  '0x7f000001', '2130706433', '017700000001', '0177.0.0.1', '127.1', '127.0.1', '127.0.0.2', '127.000.000.001', '0.0.0.0', '0', '10.0.0.1',
  '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:0:0:1]', '[::1%25lo]', '[::1]evil.example', '::1', '::1:PORT', '[localhost]',
  'localhost evil.example', 'localhost,evil.example', 'localhost, localhost', 'localhost;evil', 'localhost/evil', 'localhost#', 'localhost?',
  'localhost\\evil', 'localhost:PORT:1', 'localhost:x', 'localhost:-1', 'localhost:123456', 'localhost: PORT', ':PORT', ':', '', '.', '*',
  'gateway.internal.evil.example', 'gateway.internal.', 'xgateway.internal', 'l\u00f6calhost', '%6cocalhost', 'localhost%00', 'http://localhost',
  'null', 'undefined', '__proto__', 'constructor',
] as const // biome-ignore format: a list to be read as one

/** Not a single name at all, or two that differ: the lines of the request, and its target. */
export const ambiguousHosts: readonly {
  name: string
  lines: readonly string[]
  target?: string
  version?: '1.0'
}[] = [
  { name: 'none, by HTTP/1.0', lines: [], version: '1.0' },
  { name: 'none', lines: [] },
  { name: 'ours, then another', lines: ['Host: localhost', 'Host: evil.example'] },
  { name: 'another, then ours', lines: ['Host: evil.example', 'Host: localhost'] },
  {
    name: 'ours, then another behind 2,000 headers',
    lines: ['Host: localhost', ...Array.from({ length: 2_000 }, () => 'a:1'), 'Host: evil.example'],
  },
  { name: 'ours twice', lines: ['Host: localhost', 'hOST: localhost'] },
  {
    name: 'a foreign URL in the request line',
    lines: ['Host: 127.0.0.1:PORT'],
    target: 'http://evil.example',
  },
  { name: 'our URL, a foreign header', lines: ['Host: evil.example'], target: 'http://127.0.0.1:PORT' },
  { name: 'a foreign URL, no header', lines: [], target: 'http://evil.example', version: '1.0' },
  { name: 'a URL with a user', lines: ['Host: 127.0.0.1:PORT'], target: 'http://evil@127.0.0.1:PORT' },
  { name: 'a URL without a host', lines: ['Host: 127.0.0.1:PORT'], target: 'http://' },
  { name: 'a URL of another port', lines: ['Host: 127.0.0.1:PORT'], target: 'https://127.0.0.1:1' },
  { name: 'a foreign name, ours forwarded', lines: ['Host: evil.example', 'X-Forwarded-Host: localhost'] },
  { name: 'a foreign name, ours by Forwarded', lines: ['Host: evil.example', 'Forwarded: host=localhost'] },
  { name: 'a foreign name, ours by X-Host', lines: ['Host: evil.example', 'X-Host: localhost'] },
  { name: 'a folded header', lines: ['Host: localhost', ' evil.example'] },
  { name: 'a blank before the colon', lines: ['Host : localhost'] },
  { name: 'in the trailer only', lines: ['X-Host: localhost', 'Trailer: Host'] },
]

export const ownHosts = [
  '127.0.0.1',
  '127.0.0.1:PORT',
  'localhost',
  'LOCALHOST:PORT',
  '[::1]:PORT',
  '[::1]',
  // A tunnel or a container may publish another port: the name is what a page cannot choose.
  'localhost:1',
  'gateway.internal',
  'GATEWAY.internal:80',
] as const
