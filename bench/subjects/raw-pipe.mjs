// The raw pipe: the least that a gateway on Node does. `node raw-pipe.mjs UPSTREAM` forwards each request with node:http and
// pipes the answer back, nothing else.
import { Agent, createServer, request } from 'node:http'

const { hostname: host, port } = new URL(process.argv[2])
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, noDelay: true })

const server = createServer((incoming, outgoing) => {
  const { method, url: path, headers } = incoming
  const forwarded = request({ host, port, method, path, headers, agent }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers)
    answer.pipe(outgoing)
  })
  forwarded.on('error', () => outgoing.destroy())
  incoming.pipe(forwarded)
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`),
)
