import http from 'node:http'
import net from 'node:net'
import zlib from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { atEnd } from '../../../test/at-end.ts'
import type { Outcome } from '../../protocols/client-tools/job.ts'
import type { Connect } from './ask-page.ts'
import { fetchPage } from './fetch-page.ts'

const publicOne = '93.184.215.14'
const names: Record<string, string[]> = {
  'good.test': [publicOne],
  'inside.test': ['10.0.0.7'],
  'both.test': [publicOne, '127.0.0.1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'nowhere.test': [],
}
const asked: http.IncomingMessage[] = []
const opened: string[] = []
const looked: string[] = []
let port = 0

const bomb = zlib.gzipSync(Buffer.alloc(20_000_000, 'a'))

const escaped = (url: string) => url.replace(/[^ -~]+/g, encodeURIComponent)

type Reply = (response: http.ServerResponse, url: URL) => void
const text = { 'content-type': 'text/plain' }
const replies: Record<string, Reply> = {
  '/plain': (response) => response.writeHead(200, text).end('hällo'),
  '/latin': (response) =>
    response.writeHead(200, { 'content-type': 'text/plain; charset=latin1' }).end(Buffer.from([0xe4])),
  '/page': (response) =>
    response
      .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'a=b' })
      .end('<title>T</title><script>x</script><p>one &amp; two</p>'),
  '/packed': (response) =>
    response.writeHead(200, { ...text, 'content-encoding': 'gzip' }).end(zlib.gzipSync('unpacked')),
  '/bomb': (response) => response.writeHead(200, { ...text, 'content-encoding': 'gzip' }).end(bomb),
  '/broken': (response) => response.writeHead(200, { ...text, 'content-encoding': 'gzip' }).end('no gzip'),
  '/odd': (response) => response.writeHead(200, { ...text, 'content-encoding': '__proto__' }).end('x'),
  '/endless': (response) => {
    const more = () => {
      while (!response.destroyed && response.write('word '.repeat(1000)));
    }
    response.writeHead(200, text).on('drain', more)
    more()
  },
  '/silent': () => undefined,
  '/half': (response) => {
    response.writeHead(200, { ...text, 'content-length': '100' }).write('half')
    setImmediate(() => response.destroy())
  },
  '/binary': (response) => response.writeHead(200, { 'content-type': 'image/png' }).end('png'),
  '/untyped-binary': (response) => response.writeHead(200).end(Buffer.from([1, 0, 2])),
  '/missing': (response) => response.writeHead(404).end('no'),
  '/to': (response, url) =>
    response
      .writeHead(302, { location: escaped(url.searchParams.get('url') ?? ''), 'set-cookie': 'a=b' })
      .end(),
  '/round': (response) => response.writeHead(307, { location: '/round' }).end(),
}

beforeAll(async () => {
  const server = http.createServer((request, response) => {
    asked.push(request)
    const url = new URL(request.url ?? '', 'http://any.test')
    replies[url.pathname]?.(response, url)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as net.AddressInfo).port
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
})

/** Test names; the server above plays the public address, also for TLS. */
const connect: Connect = {
  lookup: async (hostname) => {
    looked.push(hostname)
    const found = names[hostname]
    if (!found) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' })
    return found
  },
  open: ({ address, secure }) => {
    opened.push(`${secure ? 'tls ' : ''}${address}`)
    return new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(socket))
    })
  },
}

const never = new AbortController().signal

function get(url: string, options: { outputBytes?: number; timeoutMs?: number; signal?: AbortSignal } = {}) {
  asked.length = opened.length = looked.length = 0
  return fetchPage({ kind: 'fetch', url }, { outputBytes: 100_000, signal: never, connect, ...options })
}

const contentOf = (outcome: Outcome) => (outcome.kind === 'fetch' ? outcome.content : JSON.stringify(outcome))

it.each([
  ['http://good.test/plain', 'hällo'],
  ['https://good.test/plain', 'hällo'],
  [`http://${publicOne}/plain`, 'hällo'],
  ['http://good.test/latin', 'ä'],
  ['http://good.test/page', 'T\n\none & two'],
  ['http://good.test/packed', 'unpacked'],
  ['http://good.test/to?url=/to%3Furl=/to%3Furl=/plain', 'hällo'],
  ['http://good.test/to?url=https://good.test/plain', 'hällo'],
])('fetches %s', async (url, content) => {
  expect(contentOf(await get(url))).toBe(content)
})

it('sends a user agent, but no cookies and no referrer, to the checked address', async () => {
  await get('http://good.test:8080/to?url=/page')
  expect(asked.map(({ headers }) => headers)).toEqual([
    expect.objectContaining({ host: 'good.test:8080', 'user-agent': 'dragoman' }),
    expect.not.objectContaining({ cookie: expect.anything() }),
  ])
  expect(asked[1]?.headers).not.toHaveProperty('referer')
  expect(opened).toEqual([publicOne, publicOne])
})

const inside = [
  ...[
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://0/',
  ],
  ...[
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
  ],
  ...[
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
  ],
  ...[
    'http://100.64.1.1/',
    'http://224.0.0.1/',
    'http://１２７.0.0.1/',
    'http://inside.test/',
    'http://both.test/',
  ],
  ...['http://mapped.test/', 'http://metadata.test/', 'https://inside.test/'],
]
it.each(inside)('refuses %s', async (url) => {
  expect(await get(url)).toMatchObject({ kind: 'failed', denied: true })
  expect(opened).toEqual([])
})

it.each(inside)('refuses a redirect to %s', async (url) => {
  expect(await get(`http://good.test/to?url=${encodeURIComponent(url)}`)).toMatchObject({
    kind: 'failed',
    denied: true,
  })
  expect(opened).toEqual([publicOne])
})

it('has the same error for internal and for unknown names', async () => {
  const told = await Promise.all(
    ['inside', 'both', 'mapped', 'metadata', 'unknown', 'nowhere'].map(async (name) =>
      JSON.stringify(await get(`http://${name}.test/`)).replaceAll(name, 'it'),
    ),
  )
  expect(new Set(told).size).toBe(1)
  expect(told[0]).toContain('no address on the public Internet')
})

it.each([
  ['ftp://good.test/', { denied: true }],
  ['file:///etc/passwd', { denied: true }],
  ['data:text/plain,hi', { denied: true }],
  ['http://user:password@good.test/', { denied: true }],
  ['http://user@good.test/', { denied: true }],
  ['https://good.test/to?url=http://good.test/plain', { denied: true }],
  ['http://good.test/to?url=file:///etc/passwd', { denied: true }],
  ['http://good.test/to?url=http://a:b@good.test/', { denied: true }],
  ['no url', { error: '"no url" is no URL.' }],
  ['http://', {}],
  ['http://good.test/round', { error: expect.stringContaining('more than 3 redirects') }],
  ['http://good.test/missing', { notFound: true, error: expect.stringContaining('404') }],
  ['http://good.test/binary', { error: expect.stringContaining('image/png') }],
  ['http://good.test/untyped-binary', { error: expect.stringContaining('no text') }],
  ['http://good.test/broken', { error: expect.stringContaining('could not be fetched') }],
  ['http://good.test/odd', { error: expect.stringContaining('__proto__') }],
  ['http://good.test/half', { error: expect.stringContaining('was cut off after 4 bytes') }],
])('fails at %s', async (url, failure) => {
  expect(await get(url)).toMatchObject({ kind: 'failed', ...failure })
})

it.each(['/endless', '/bomb'])('stops reading %s at its limit, and says so', async (path) => {
  const content = contentOf(await get(`http://good.test${path}`, { outputBytes: 1000 }))
  expect(content.length).toBeLessThan(1100)
  expect(content).toContain('[dragoman: the page is cut here: 1000 bytes are the limit]')
})

it('ends by its deadline', async () => {
  expect(await get('http://good.test/silent', { timeoutMs: 50 })).toMatchObject({
    error: 'http://good.test/silent did not answer within 50 ms.',
  })
})

it.each(['before', 'while'])('ends when canceled, %s it waits', async (when) => {
  const controller = new AbortController()
  if (when === 'before') controller.abort()
  else setTimeout(() => controller.abort(), 20)
  const outcome = await get('http://good.test/silent', { signal: controller.signal })
  expect(outcome).toMatchObject({ kind: 'failed', error: expect.stringContaining('canceled') })
})

it('does not reach this machine by any name, with the real resolver', async () => {
  const outcome = await fetchPage(
    { kind: 'fetch', url: `http://localhost:${port}/plain` },
    { outputBytes: 1000, signal: never },
  )
  expect(outcome).toMatchObject({ kind: 'failed', denied: true })
})
