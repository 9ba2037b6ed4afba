import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { keptLog, peerSecret as secret } from '../../test/cluster-parts.ts'
import { freePort, type RawUpstream, startUpstream, within } from '../../test/end-to-end/wire.ts'
import { firstRequest } from '../../test/fake-instance.ts'
import { PeerGone, RelayClient } from './relay-client.ts'
import { type RelayLine, slimRequest } from './relay-messages.ts'

let peer: RawUpstream | undefined
let relay: RelayClient
afterEach(async () => {
  await relay.close()
  await peer?.close()
})

const message = {
  ...{ backend: 'fake', owner: 'x|1', request: slimRequest(firstRequest()) },
  ...{ turnId: 'turn_1', caller: { key: 'laptop' }, wholeArguments: true },
}

async function asked(serve: (request: IncomingMessage, response: ServerResponse) => void, silenceMs = 500) {
  peer = await startUpstream(serve)
  const log = keptLog()
  relay = new RelayClient({ secret, log, openMs: 500, silenceMs })
  const lines: RelayLine[] = []
  try {
    for await (const line of relay.turn(peer.url, message, new AbortController().signal)) lines.push(line)
    return { lines, log }
  } catch (error) {
    return { lines, log, error }
  }
}

const ndjson = { 'content-type': 'application/x-ndjson' }

describe('an instance is gone', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['when it says nothing at all', () => undefined],
    ['when it falls silent', (response) => response.writeHead(200, ndjson).write('\n{"session":"live"}\n')],
    [
      'when it breaks off',
      (response) => response.writeHead(200, ndjson).write('\n', () => response.destroy()),
    ],
    ['when it does not end what it refuses with', (response) => response.writeHead(410).write('{')],
    ['when it is stopping', (response) => response.writeHead(503).end('{}')],
    ['when it leads elsewhere', (response) => response.writeHead(307, { location: '/elsewhere' }).end()],
    ['when it is no instance', (response) => response.writeHead(200).end('<html></html>\n')],
    ['when it says what is not understood', (response) => response.writeHead(200, ndjson).end('{"x":1}\n')],
  ])('%s', async (_case, serve) => {
    const { error } = (await within(
      5_000,
      asked((_request, response) => serve(response)),
    )) as { error: unknown }
    expect(error).toBeInstanceOf(PeerGone)
    expect(error).toMatchObject({ kept: false, answered: false })
  })

  it('when nothing listens there', async () => {
    relay = new RelayClient({ secret, log: keptLog() })
    const lines = relay.turn(`http://127.0.0.1:${await freePort()}`, message, new AbortController().signal)
    await expect(lines.next()).rejects.toBeInstanceOf(PeerGone)
  })

  it.each(['http://169.254.169.254', 'nonsense'])('if its address is %s', async (url) => {
    relay = new RelayClient({ secret, log: keptLog() })
    await expect(relay.turn(url, message, new AbortController().signal).next()).rejects.toBeInstanceOf(
      PeerGone,
    )
    await expect(relay.results(url, { ...message, results: [] })).rejects.toBeInstanceOf(PeerGone)
  })

  it('on 410, which also says whether the session is kept', async () => {
    const gone = await asked((_request, response) => response.writeHead(410).end('{"kept":false}'))
    expect(gone.error).toMatchObject({ answered: true, kept: false })
    await peer?.close()
    const kept = await asked((_request, response) => response.writeHead(410).end('{"kept":true}'))
    expect(kept.error).toMatchObject({ answered: true, kept: true })
  })

  it('on 401, and a warning names the settings to check', async () => {
    const { error, log } = await asked((_request, response) => response.writeHead(401).end())
    expect(error).toBeInstanceOf(PeerGone)
    expect(log.count('warn', /peerSecret.*clocks/)).toBe(1)
    expect(JSON.stringify(log.lines)).not.toContain(secret)
  })
})

it('but not while keep-alives arrive', async () => {
  const { lines, error } = await asked((_request, response) => {
    response.writeHead(200, ndjson)
    let signs = 0
    const timer = setInterval(() => {
      if (++signs < 6) return void response.write('\n')
      clearInterval(timer)
      response.end('{"events":[{"type":"turn-end","reason":"stop"}]}\n')
    }, 100)
  }, 300)
  expect(error).toBeUndefined()
  expect(lines).toEqual([{ events: [{ type: 'turn-end', reason: 'stop' }] }])
})

it('requests contain neither the secret nor the original body', async () => {
  let sent = ''
  await asked((request, response) => {
    sent = JSON.stringify(request.headers)
    request.on('data', (chunk) => (sent += chunk))
    request.on('end', () => response.writeHead(410).end())
  })
  expect(sent).toContain('x-dragoman-peer')
  expect(sent).toContain('hello')
  expect(sent).not.toContain(secret)
  expect(sent).not.toContain('body-canary')
})
