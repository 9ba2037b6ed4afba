// The Cursor simulator with a control port: what happens to its connections and tokens is asked for over HTTP. Runs in a
// process of its own (`node sim-host.mjs OPTIONS`), and prints one line of JSON when it listens.

import { createServer } from 'node:http'
import { startCursorSim } from '../../build/sim/cursor.js'

const options = JSON.parse(process.argv[2] ?? '{}')
const sim = await startCursorSim(options)
const orders = {
  breakRuns: () => sim.breakRuns(),
  breakNext: (n) => sim.breakNext(Number(n)),
  goAway: (code) => sim.goAway(Number(code)),
  freeze: () => sim.freeze(),
  thaw: () => sim.thaw(),
  expire: () => sim.auth.expire(),
  revoke: () => sim.auth.revoke(),
  play: (turn) => sim.play(JSON.parse(turn)),
  state: () => ({
    violations: sim.violations,
    runs: sim.runs.length,
    open: sim.runs.filter((run) => !run.closed).length,
    connections: sim.connections,
    requests: sim.requests.length,
    exchanges: sim.auth.exchanges,
    refreshes: sim.auth.refreshes,
    twice: [...sim.deliveries.values()].filter((times) => times > 1).length,
    queued: sim.queued,
    http: [
      ...new Set(
        sim.requests.filter(({ path }) => /Run/.test(path)).map(({ http, path }) => `${http} ${path}`),
      ),
    ],
  }),
}
const control = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://control')
  const result = orders[url.pathname.slice(1)]?.(url.searchParams.get('with') ?? undefined)
  response.end(JSON.stringify(result ?? {}))
})
control.listen(0, '127.0.0.1', () => {
  process.stdout.write(
    `${JSON.stringify({ url: sim.url, control: `http://127.0.0.1:${control.address().port}` })}\n`,
  )
})
