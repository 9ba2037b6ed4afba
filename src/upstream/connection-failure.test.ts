// Failures of real connections, in the words that users see.

import net from 'node:net'
import tls from 'node:tls'
import { expect, it } from 'vitest'
import { selfSigned } from '../../test/cli/certificate.ts'
import { afterTest, listen, startHttp1 } from '../../test/raw-peer.ts'
import { createUpstreamClient } from './client.ts'

async function failureAt(url: string): Promise<string> {
  const client = afterTest(createUpstreamClient(url, { name: 'box' }), (it) => it.close())
  const { signal } = new AbortController()
  const asked = client.request({ method: 'GET', path: '/', headers: {}, signal })
  return asked.then(
    () => expect.unreachable(),
    (error: Error) => error.message,
  )
}

it('https:// at a server without TLS', async () => {
  const { url } = await startHttp1((_request, response) => void response.end())
  expect(await failureAt(url.replace('http:', 'https:'))).toMatch(
    /\(ERR_SSL_\w+\): it does not speak TLS; write http:\/\/ instead of https:\/\/ in "baseUrl"\.$/,
  )
})

it('http:// at a server with TLS', async () => {
  const server = tls.createServer(selfSigned()).on('tlsClientError', () => undefined)
  const { url } = await listen(server)
  expect(await failureAt(url)).toMatch(/write https:\/\/ instead of http:\/\/ in "baseUrl"\.$/)
})

it('http:// at a server that answers with a TLS alert', async () => {
  const alert = Buffer.from([0x15, 3, 1, 0, 2, 2, 10])
  const { url } = await listen(net.createServer((socket) => void socket.end(alert)))
  expect(await failureAt(url)).toMatch(/does not speak plain HTTP; write https:\/\/ instead of http:\/\//)
})

it('a connection that breaks over TLS is no reason to do without', async () => {
  const { url } = await listen(net.createServer((socket) => void socket.once('data', () => socket.end())))
  const message = await failureAt(url.replace('http:', 'https:'))
  expect(message).toMatch(/could not be reached/)
  expect(message).not.toContain('http://')
})
