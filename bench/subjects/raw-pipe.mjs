// The raw pipe: what a gateway in Node costs at least. Forwards each request to the upstream and pipes the answer back, nothing
// else: no parsing, no checks, no log. Headers pass as they came, in one array: an object of them costs a fifth more for a large
// request (W5: 0.42 ms against 0.32 ms).
//
//   node bench/subjects/raw-pipe.mjs UPSTREAM_ORIGIN [PORT]      prints "listening on http://127.0.0.1:PORT"
import { Agent, createServer, request } from 'node:http'

const { hostname: host, port } = new URL(process.argv[2])
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, noDelay: true })

const server = createServer({ noDelay: true, keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
  const { method, url: path, rawHeaders: headers } = incoming
  const forwarded = request({ host, port, method, path, headers, agent }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.rawHeaders)
    answer.on('error', () => outgoing.destroy())
    answer.pipe(outgoing)
  })
  forwarded.on('error', () => outgoing.destroy())
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) forwarded.destroy()
  })
  incoming.pipe(forwarded)
})

server.listen(Number(process.argv[3] ?? 0), '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`)
})
