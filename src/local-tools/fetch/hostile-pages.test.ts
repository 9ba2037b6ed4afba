// Servers that violate HTTP: each fetch ends by its deadline, can be canceled, and leaves no socket.

import net from 'node:net'
import zlib from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { atEnd } from '../../../test/at-end.ts'
import type { Outcome } from '../../protocols/client-tools/job.ts'
import type { Connect } from './ask-page.ts'
import { type FetchOptions, fetchPage } from './fetch-page.ts'

type Answer = (socket: net.Socket) => void

/** Sends `first`, then `again` until the client disconnects. */
const forEver =
  (first: string, again: string): Answer =>
  (socket) => {
    socket.write(first)
    const timer = setInterval(() => socket.write(again), 5)
    socket.on('close', () => clearInterval(timer))
  }

const head = (more: string) => `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n${more}\r\n`
const packed = zlib.gzipSync('word '.repeat(10_000))
const squeezed = zlib.brotliCompressSync('word '.repeat(10_000))
const send =
  (...parts: (string | Buffer)[]): Answer =>
  (socket) => {
    for (const part of parts) socket.write(part)
    socket.end()
  }

const answers: Record<string, Answer> = {
  '101': (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  '101 and text': (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nhello'),
  '101 without an upgrade': (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  'endless 100': forEver('', 'HTTP/1.1 100 Continue\r\n\r\n'),
  'endless 103': forEver('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  'endless head': forEver('HTTP/1.1 200 OK\r\n', 'x: y\r\n'),
  'endless field': forEver('HTTP/1.1 200 OK\r\nx: ', 'y'),
  'a head of 100 KB': (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(16_000)}`),
  'a field of 100 KB': (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`),
  'endless trailers': forEver(head('transfer-encoding: chunked\r\n').concat('0\r\n'), 'x: y\r\n'),
  'endless chunk extension': forEver(head('transfer-encoding: chunked\r\n').concat('1;'), 'x'),
  'trickling body': forEver(head('content-length: 100000\r\n'), 'x'),
  'trickling chunks': forEver(head('transfer-encoding: chunked\r\n'), '1\r\nx\r\n'),
  'packed body that stops': (socket) => {
    socket.write(head(`content-encoding: gzip\r\ncontent-length: ${packed.length}\r\n`))
    socket.write(packed.subarray(0, 20))
  },
  silence: () => undefined,
  'half a status line': (socket) => socket.write('HTTP/1.1 2'),
  'cut length': send(head('content-length: 100\r\n'), 'half'),
  'cut chunk': send(head('transfer-encoding: chunked\r\n'), '64\r\nhalf'),
  'no last chunk': send(head('transfer-encoding: chunked\r\n'), '4\r\nhalf\r\n'),
  'cut gzip, no length': send(head('content-encoding: gzip\r\n'), packed.subarray(0, 60)),
  'cut gzip, whole message': send(
    head('content-encoding: gzip\r\ncontent-length: 60\r\n'),
    packed.subarray(0, 60),
  ),
  'gzip without its check': send(
    head(`content-encoding: gzip\r\ncontent-length: ${packed.length - 8}\r\n`),
    packed.subarray(0, -8),
  ),
  'cut brotli': send(head('content-encoding: br\r\ncontent-length: 10\r\n'), squeezed.subarray(0, 10)),
  'gzip in cut chunks': send(
    head('content-encoding: gzip\r\ntransfer-encoding: chunked\r\n'),
    'ff\r\n',
    packed,
  ),
  'whole gzip in a message without its end': send(
    head('content-encoding: gzip\r\ntransfer-encoding: chunked\r\n'),
    `${packed.length.toString(16)}\r\n`,
    packed,
    '\r\n',
  ),
  'whole gzip, length not met': send(
    head(`content-encoding: gzip\r\ncontent-length: ${packed.length + 10}\r\n`),
    packed,
  ),
  'cut by a reset': (socket) => {
    socket.write(head('content-length: 100\r\n'))
    socket.write('half', () => setTimeout(() => socket.resetAndDestroy(), 10))
  },
  'a part': send(
    'HTTP/1.1 206 Partial Content\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\n',
    'some',
  ),
  'no length': send(head(''), 'perhaps all'),
  whole: send(head('content-length: 3\r\n'), 'all'),
}

const open = new Set<net.Socket>()
let port = 0

beforeAll(async () => {
  const server = net.createServer((socket) => {
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => open.delete(socket))
    socket.once('data', (request) => {
      const path = decodeURIComponent(/^GET \/(\S*)/.exec(String(request))?.[1] ?? '')
      answers[path]?.(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as net.AddressInfo).port
  atEnd(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
})

const connect: Connect = {
  lookup: async () => ['93.184.215.14'],
  open: () =>
    new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(socket))
    }),
}

const get = (page: string, options: Partial<FetchOptions> = {}): Promise<Outcome> =>
  fetchPage(
    { kind: 'fetch', url: `http://good.test/${encodeURIComponent(page)}` },
    { outputBytes: 100_000, signal: new AbortController().signal, connect, timeoutMs: 300_000, ...options },
  )

const socketsGone = async () => {
  while (open.size > 0) await new Promise((resolve) => setTimeout(resolve, 1))
}

it.each([
  ['101', '101 Switching Protocols'],
  ['101 and text', '101 Switching Protocols'],
  ['101 without an upgrade', '101 Switching Protocols'],
  ['a head of 100 KB', 'could not be fetched'],
  ['a field of 100 KB', 'could not be fetched'],
])('ends at once: %s', async (page, says) => {
  expect(await get(page)).toMatchObject({ kind: 'failed', error: expect.stringContaining(says) })
  await socketsGone()
})

const waiting = [
  'endless 100',
  'endless 103',
  'endless head',
  'endless field',
  'endless trailers',
  'endless chunk extension',
  'trickling body',
  'trickling chunks',
  'packed body that stops',
  'silence',
  'half a status line',
]

it.each(waiting)('ends by its deadline: %s', async (page) => {
  expect(await get(page, { timeoutMs: 100 })).toMatchObject({
    kind: 'failed',
    error: expect.stringMatching(/within 100 ms|could not be fetched/),
  })
  await socketsGone()
})

it.each(waiting)('ends when canceled: %s', async (page) => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 50)
  expect(await get(page, { signal: controller.signal })).toMatchObject({
    kind: 'failed',
    error: expect.stringMatching(/canceled|could not be fetched/),
  })
  await socketsGone()
})

it.each<[string, Partial<Connect>]>([
  ['a name server', { lookup: () => new Promise(() => undefined) }],
  ['a connection', { open: () => new Promise(() => undefined) }],
])('ends by its deadline if %s never answers', async (_, part) => {
  expect(await get('whole', { timeoutMs: 50, connect: { ...connect, ...part } })).toMatchObject({
    kind: 'failed',
    error: expect.stringContaining('within 50 ms'),
  })
})

it.each(Object.keys(answers).filter((page) => /cut|no last|without its|not met/.test(page)))(
  'does not take for whole: %s',
  async (page) => {
    expect(await get(page)).toMatchObject({ kind: 'failed', error: expect.stringContaining('cut off') })
    await socketsGone()
  },
)

it.each([
  ['no length', /^perhaps all\n\[dragoman: .*may be cut off.*\]$/],
  ['a part', /^some\n\[dragoman: .*206 Partial Content.*\]$/],
])('says that the page may be incomplete: %s', async (page, content) => {
  expect(await get(page)).toEqual({
    kind: 'fetch',
    content: expect.stringMatching(content),
    truncated: true,
  })
})

it('adds no remark to a complete page', async () => {
  expect(await get('whole')).toEqual({ kind: 'fetch', content: 'all' })
})
