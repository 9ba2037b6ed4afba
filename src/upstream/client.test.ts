import net from 'node:net'
import { describe, expect, it } from 'vitest'
import { afterTest, listen, startHttp1, until } from '../../test/raw-peer.ts'
import { createUpstreamClient, type UpstreamRequest } from './client.ts'

const clientFor = (url: string) => afterTest(createUpstreamClient(url), (client) => client.close())

function ask(signal: AbortSignal, more: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return { method: 'POST', path: '/', headers: {}, body: '{}', signal, ...more }
}

/** Counts the listeners of a signal, ever and now. */
function watched() {
  const controller = new AbortController()
  const { signal } = controller
  let listeners = 0
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners++
    add(...given)
  }
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners--
    remove(...given)
  }
  return { controller, signal, listeners: () => listeners }
}

describe('a request that is canceled', () => {
  it.each(['signal', 'clock'])('before the connection, by its %s: it is never sent', async (by) => {
    let received = ''
    let connections = 0
    const peer = await listen(
      net.createServer((socket) => {
        connections++
        socket.on('data', (bytes) => {
          received += bytes
        })
      }),
    )
    const { controller, signal } = watched()
    let cancel: (reason: Error) => void = () => undefined
    const onCancelable = (given: typeof cancel) => {
      cancel = given
    }
    const pending = clientFor(peer.url).request(ask(signal, { onCancelable }))
    if (by === 'signal') controller.abort()
    else cancel(new Error('too late'))
    await expect(pending).rejects.toThrow(by === 'signal' ? /.*/ : 'too late')
    await until(() => connections === 1 && peer.sockets.size === 0, 'the end of its connection')
    expect(received).toBe('')
  })

  it('before it began: nothing is connected', async () => {
    const { controller, signal, listeners } = watched()
    controller.abort()
    await expect(clientFor('http://127.0.0.1:1').request(ask(signal))).rejects.toMatchObject({
      code: 'canceled',
    })
    expect(listeners()).toBe(0)
  })

  it.each(['signal', 'clock'])(
    'in the middle of its answer, by its %s: reading fails with the reason',
    async (by) => {
      const peer = await startHttp1((_request, response) => void response.write('half'))
      const { controller, signal } = watched()
      let cancel: (reason: Error) => void = () => undefined
      const { body } = await clientFor(peer.url).request(
        ask(signal, {
          onCancelable: (given) => {
            cancel = given
          },
        }),
      )
      expect(String(await body.read())).toBe('half')
      const reading = body.read()
      if (by === 'signal') controller.abort()
      else cancel(new Error('too late'))
      await expect(reading).rejects.toThrow(by === 'signal' ? /.*/ : 'too late')
      await until(() => peer.sockets.size === 0, 'the end of its connection')
    },
  )

  it('after its answer: nothing happens, and no listener is left', async () => {
    const peer = await startHttp1((_request, response) => void response.end('whole'))
    const { controller, signal, listeners } = watched()
    const client = clientFor(peer.url)
    let cancel: (reason: Error) => void = () => undefined
    const { body } = await client.request(
      ask(signal, {
        onCancelable: (given) => {
          cancel = given
        },
      }),
    )
    expect(String((await body.readAll(100)).bytes)).toBe('whole')
    expect(listeners()).toBe(0)
    const [first] = peer.sockets
    cancel(new Error('too late'))
    controller.abort()
    expect(await body.read()).toBeNull()
    await client.request(ask(new AbortController().signal)).then(({ body: next }) => next.readAll(100))
    expect(first?.destroyed).toBe(false)
  })
})

describe('a signal', () => {
  it.each([
    ['that cannot be connected', 'http://127.0.0.1:1', {}],
    ['that is none', 'http://127.0.0.1:1', { headers: { 'a\nb': 'c' } }],
  ])('is let go of by a request %s', async (_what, url, more) => {
    const { signal, listeners } = watched()
    await expect(clientFor(url).request(ask(signal, more))).rejects.toThrow()
    expect(listeners()).toBe(0)
  })
})

describe('an upstream that switches protocols', () => {
  const switching = 'HTTP/1.1 101 Switching Protocols\r\n'
  const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\n'

  it.each([
    ['with an upgrade', `${switching}${upgrade}\r\n`],
    ['and goes on', `${switching}${upgrade}\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`],
    ['without an upgrade', `${switching}\r\n`],
    ['after a hint', `HTTP/1.1 103 Early Hints\r\n\r\n${switching}${upgrade}\r\n`],
  ])('%s: the request ends at once', async (_name, answer) => {
    const peer = await listen(
      net.createServer((socket) => socket.once('data', () => void socket.write(answer))),
    )
    const { signal, listeners } = watched()
    const asked = clientFor(peer.url).request(ask(signal))
    await expect(asked).rejects.toMatchObject({ code: 'upstream-unavailable', status: 502 })
    expect(listeners()).toBe(0)
    await until(() => peer.sockets.size === 0, 'the end of its connection')
  })
})
