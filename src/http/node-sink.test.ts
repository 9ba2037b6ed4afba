import http from 'node:http'
import net from 'node:net'
import { describe, expect, it } from 'vitest'
import { afterTest, listen, until } from '../../test/raw-peer.ts'
import { readAnswers } from '../../test/strict-http.ts'
import { NodeSink } from './node-sink.ts'

type Answer = (sink: NodeSink, request: http.IncomingMessage) => unknown

async function serve(answer: Answer): Promise<number> {
  const server = http.createServer((request, response) => {
    request.resume()
    void answer(new NodeSink(request, response), request)
  })
  return Number(new URL((await listen(server)).url).port)
}

function connect(port: number): { socket: net.Socket; received: () => Buffer; ended: Promise<Buffer> } {
  const socket = afterTest(net.connect(port, '127.0.0.1'), (open) => open.destroy())
  const parts: Buffer[] = []
  socket.on('data', (part) => parts.push(part))
  const received = () => Buffer.concat(parts)
  const ended = new Promise<Buffer>((resolve, reject) => {
    socket.once('end', () => resolve(received()))
    socket.once('error', reject)
  })
  return { socket, received, ended }
}

interface Ask {
  method?: string
  version?: string
  headers?: string[]
  body?: string
}

const requestText = ({ method = 'GET', version = '1.1', headers = [], body = '' }: Ask = {}) =>
  `${[`${method} / HTTP/${version}`, 'host: x', ...headers, '', body].join('\r\n')}`

/** Everything received on one connection for requests that are sent at once. The last one closes it. */
async function exchange(answer: Answer, ...asks: Ask[]) {
  const { socket, ended } = connect(await serve(answer))
  const last = asks.length - 1
  const sent = asks.map((ask, at) =>
    requestText(at === last ? { ...ask, headers: [...(ask.headers ?? []), 'connection: close'] } : ask),
  )
  socket.write(sent.join(''))
  return readAnswers(
    await ended,
    asks.map(({ method = 'GET' }) => method),
  )
}

const stream = { 'content-type': 'text/event-stream' }

describe('an answer in chunks', () => {
  it('has a chunk for each text, with its length in bytes', async () => {
    const texts = ['a', 'é€🙂', 'x'.repeat(15), 'x'.repeat(16), '\r\n0\r\n\r\n', 'end']
    const [answer] = await exchange((sink) => {
      sink.start(200, stream)
      for (const text of texts.slice(0, -1)) sink.write(text)
      sink.end(texts.at(-1))
    }, {})
    expect(answer).toMatchObject({ status: 200, framing: 'chunked', chunks: texts })
  })

  it('skips empty texts: an empty chunk would end the body', async () => {
    const [answer] = await exchange((sink) => {
      sink.start(200, stream)
      for (const text of ['', 'a', '', 'b', '']) expect(sink.write(text)).toBe(true)
      sink.end('')
    }, {})
    expect(answer).toMatchObject({ framing: 'chunked', chunks: ['a', 'b'] })
  })

  it.each([undefined, '', 'all'])('ends without a write, with %j at the end', async (text) => {
    const [answer] = await exchange((sink) => {
      sink.start(200, stream)
      sink.end(text)
      sink.end('again')
    }, {})
    expect(answer).toMatchObject({ framing: 'chunked', chunks: text ? [text] : [] })
  })

  it('counts lone surrogates as the bytes that are sent for them', async () => {
    const [answer] = await exchange((sink) => {
      sink.start(200, stream)
      sink.write('a\ud83d')
      sink.write('\ude42b')
      sink.end('\ud83d\ud83d')
    }, {})
    expect(answer?.chunks).toEqual(['a\ufffd', '\ufffdb', '\ufffd\ufffd'])
  })

  it('reports back-pressure, and when the client has caught up', async () => {
    const large = 'é'.repeat(1_000_000)
    const [answer] = await exchange(async (sink) => {
      sink.start(200, stream)
      let waits = 0
      for (let n = 0; n < 8; n++) {
        if (sink.write(`${n}${large}`)) continue
        expect(sink.isBehind).toBe(true)
        waits++
        await sink.drained()
        expect(sink.isBehind).toBe(false)
      }
      sink.end(String(waits))
    }, {})
    expect(answer?.chunks.slice(0, -1)).toEqual(Array.from({ length: 8 }, (_, n) => `${n}${large}`))
    expect(Number(answer?.chunks.at(-1))).toBeGreaterThan(0)
  })

  it.each(['', 'x'.repeat(100_000)])('does not end before the client has read it (%#)', async (last) => {
    const server = http.createServer((request, response) => {
      sink = new NodeSink(request, response)
      sink.start(200, stream)
      sink.write(large)
      sink.end(last)
    })
    const large = 'x'.repeat(20_000_000)
    let sink: NodeSink | undefined
    const { socket, ended } = connect(Number(new URL((await listen(server)).url).port))
    socket.pause()
    socket.write(requestText())
    await until(() => sink !== undefined, 'the request')
    server.closeIdleConnections()
    expect([sink?.isBehind, sink?.gone]).toEqual([true, false])
    expect(sink?.write('late')).toBe(true)
    socket.resume()
    await sink?.drained()
    await until(() => sink?.isBehind === false, 'its end')
    socket.end()
    const [answer] = readAnswers(await ended)
    expect(answer?.chunks.join('')).toHaveLength(large.length + last.length)
  })

  it('follows a head that was sent long before', async () => {
    const [answer] = await exchange(async (sink) => {
      sink.start(200, stream)
      await new Promise((resolve) => setImmediate(resolve))
      sink.write('a')
      await new Promise((resolve) => setImmediate(resolve))
      sink.end('b')
    }, {})
    expect(answer).toMatchObject({ framing: 'chunked', chunks: ['a', 'b'] })
  })
})

describe('an answer without chunks', () => {
  const answer: Answer = (sink) => {
    sink.start(200, stream)
    sink.write('é')
    sink.write('')
    sink.end('b')
  }

  it.each([[[]], [['connection: keep-alive']]])('HTTP/1.0: ends with the connection, %j', async (headers) => {
    const { socket, ended } = connect(await serve(answer))
    socket.write(requestText({ version: '1.0', headers }))
    expect(readAnswers(await ended)).toMatchObject([{ framing: 'until the end', chunks: ['éb'] }])
  })

  it('HEAD: has no body', async () => {
    expect(await exchange(answer, { method: 'HEAD' }, {})).toMatchObject([
      { status: 200, framing: 'none' },
      { framing: 'chunked', chunks: ['é', 'b'] },
    ])
  })

  it.each([204, 304])('%s: has no body', async (status) => {
    const bare: Answer = (sink) => {
      sink.start(status, {})
      sink.end()
    }
    expect(await exchange(bare, {}, {})).toMatchObject([
      { status, framing: 'none' },
      { status, framing: 'none' },
    ])
  })

  it('has the length that its head announces', async () => {
    const whole: Answer = (sink) => {
      sink.start(200, { 'content-length': '3' })
      sink.end('é\n')
    }
    expect(await exchange(whole, {}, {})).toMatchObject([
      { framing: 'length', chunks: ['é\n'] },
      { framing: 'length', chunks: ['é\n'] },
    ])
  })
})

describe('a connection', () => {
  it('is reused after an answer in chunks', async () => {
    const port = await serve((sink) => {
      sink.start(200, stream)
      sink.write('a')
      sink.end('b')
    })
    const { socket, received, ended } = connect(port)
    for (let n = 1; n <= 3; n++) {
      socket.write(requestText(n === 3 ? { headers: ['connection: close'] } : {}))
      await until(() => received().toString().split('0\r\n\r\n').length === n + 1, `answer ${n}`)
    }
    expect(readAnswers(await ended).map(({ chunks }) => chunks)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ])
  })

  it('sends pipelined answers in the order of their requests, each with its own framing', async () => {
    const waiting: (() => void)[] = []
    let asked = 0
    const answers = await exchange(
      (sink) => {
        const n = ++asked
        sink.start(200, n === 2 ? { 'content-length': '2' } : stream)
        sink.write(`${n}`)
        waiting.push(() => sink.end(n === 2 ? '.' : `end of ${n}`))
        // The first answer is ready last.
        if (n === 4) for (const end of waiting.reverse()) end()
      },
      {},
      {},
      { method: 'HEAD' },
      {},
    )
    expect(answers.map(({ chunks, framing }) => [framing, chunks])).toEqual([
      ['chunked', ['1', 'end of 1']],
      ['length', ['2.']],
      ['none', []],
      ['chunked', ['4', 'end of 4']],
    ])
  })

  it('sends `100 Continue` to a client that expects it, then answers', async () => {
    const answers = await exchange(
      (sink) => {
        sink.start(200, stream)
        sink.end('a')
      },
      { method: 'POST', headers: ['expect: 100-continue', 'content-length: 2'], body: 'ok' },
    )
    expect(answers).toMatchObject([{ status: 100 }, { status: 200, framing: 'chunked', chunks: ['a'] }])
  })

  it('closes after an answer to a request that is not complete', async () => {
    const { socket, ended } = connect(
      await serve((sink) => {
        sink.start(400, stream)
        sink.end('a')
      }),
    )
    socket.write(requestText({ method: 'POST', headers: ['transfer-encoding: chunked'], body: '5\r\nabc' }))
    const [answer] = readAnswers(await ended)
    expect(answer).toMatchObject({ status: 400, framing: 'chunked', chunks: ['a'] })
    expect(answer?.headers.get('connection')).toBe('close')
  })
})

describe('a client that leaves', () => {
  it.each(['before the head', 'after the head', 'in the middle', 'under back-pressure'])(
    '%s: is noticed once, and nothing waits for it',
    async (when) => {
      let left = 0
      let sink: NodeSink | undefined
      let drained: Promise<void> | undefined
      const port = await serve((its) => {
        sink = its
        its.onGone(() => left++)
        if (when !== 'before the head') its.start(200, stream)
        if (when === 'in the middle') its.write('a')
        if (when === 'under back-pressure') {
          its.write('x'.repeat(20_000_000))
          drained = its.drained()
        }
      })
      const { socket } = connect(port)
      socket.pause()
      socket.write(requestText())
      await until(() => sink !== undefined, 'the request')
      expect(sink?.gone).toBe(false)
      socket.destroy()
      await until(() => sink?.gone === true, 'that it is gone')
      await drained
      expect(left).toBe(1)
      expect(sink?.isBehind).toBe(false)
      expect(sink?.write('more')).toBe(true)
      sink?.end('end'.repeat(100_000))
      sink?.end()
      let told = 0
      sink?.onGone(() => told++)
      expect(told).toBe(1)
    },
  )

  it('is noticed by pipelined answers that still wait, not by complete ones', async () => {
    const sinks: NodeSink[] = []
    const port = await serve((sink) => {
      sinks.push(sink)
      sink.start(200, stream)
      if (sinks.length === 1) sink.end('whole')
    })
    const { socket, received } = connect(port)
    socket.write(requestText() + requestText() + requestText())
    await until(() => sinks.length === 3 && received().includes('whole'), 'three requests')
    socket.destroy()
    await until(() => sinks[2]?.gone === true, 'that it is gone')
    expect(sinks.map(({ gone }) => gone)).toEqual([false, true, true])
  })
})
