// A small forward proxy that says what went through it: CONNECT tunnels, and absolute-form requests. It knows
// this machine as `localhost.` too: no proxy of the environment is asked for loopback itself.

import http from 'node:http'
import net from 'node:net'
import { listen } from './program.ts'

export interface Proxy {
  url: string
  /** `CONNECT host:port` or `GET http://…`, in order. */
  seen: string[]
  /** The Proxy-Authorization header of each. */
  credentials: (string | undefined)[]
}

const onThisMachine = (url: string) => url.replace('//localhost.:', '//127.0.0.1:')

export async function startProxy(options: { status?: number } = {}): Promise<Proxy> {
  const seen: string[] = []
  const credentials: (string | undefined)[] = []
  const server = http.createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    credentials.push(request.headers['proxy-authorization'])
    const forward = http.request(
      onThisMachine(request.url ?? ''),
      { method: request.method, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    forward.once('error', () => response.destroy())
    request.pipe(forward)
  })
  server.on('connect', (request, socket, head) => {
    seen.push(`CONNECT ${request.url}`)
    credentials.push(request.headers['proxy-authorization'])
    if (options.status !== undefined) {
      socket.end(`HTTP/1.1 ${options.status} No\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    const { hostname, port } = new URL(onThisMachine(`http://${request.url}`))
    const upstream = net.connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.write(head)
      upstream.pipe(socket)
      socket.pipe(upstream)
    })
    upstream.once('error', () => socket.destroy())
    socket.once('error', () => upstream.destroy())
    socket.once('close', () => upstream.destroy())
  })
  return { url: `http://127.0.0.1:${await listen(server)}`, seen, credentials }
}
