// `npm run bench:cores`: what a second core gains. Sends the same requests alternately to `dragoman serve` with one worker and with
// several, and measures requests per second and the CPU time of all gateway processes per request. The requests are large (W5:
// 200 KB and 20 tools, Chat to Anthropic), where the gateway has the most work. The upstream and the load generator share the
// machine, so N cores never give N times the throughput.
//
//   --workers N   workers to compare with one (2)
//   --rounds N    rounds of each (3)
//   --seconds N   seconds of each round (6)
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, install, root } from '../scripts/prepare.mjs'
import { machine } from './sessions/report.mjs'
import { check, doors } from './wire/doors.mjs'
import { startServer, usageOf } from './wire/processes.mjs'
import { workloads } from './wire/workloads.mjs'

const number = (fallback) => ({ type: 'string', default: String(fallback) })
const { values } = parseArgs({ options: { workers: number(2), rounds: number(3), seconds: number(6) } })
const [workers, rounds, seconds] = ['workers', 'rounds', 'seconds'].map((name) => Number(values[name]))
/** Connections, not requests, are distributed to workers. */
const lanes = 16
const model = 'w5'

const body = Buffer.from(JSON.stringify(doors.chat.body(`up/${model}`, workloads[model])))
const headers = {
  'content-type': 'application/json',
  'content-length': body.length,
  authorization: 'Bearer sk-bench-key',
}

function ask(url, agent) {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${doors.chat.path}`, { method: 'POST', agent, headers }, (response) => {
      const parts = []
      response.on('data', (part) => parts.push(part))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode, text: Buffer.concat(parts).toString() }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function askFor(url, agent, ms) {
  const until = performance.now() + ms
  let answers = 0
  const lane = async () => {
    while (performance.now() < until) {
      check('chat', model, await ask(url, agent))
      answers++
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return answers
}

/** The process and its workers. */
function family(pid) {
  const parentOf = (child) => {
    try {
      return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${child}/status`, 'utf8'))?.[1])
    } catch {
      return undefined
    }
  }
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
  return [pid, ...children.map(Number)]
}

const beside = (file) => fileURLToPath(new URL(file, import.meta.url))
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

async function start(count, upstream, folder) {
  const file = join(folder, `${count}.json`)
  const settings = {
    auth: { keys: [{ name: 'bench', key: 'sk-bench-key' }] },
    listen: { port: 0 },
    workers: count,
    backends: { up: { kind: 'anthropic', baseUrl: upstream.url, apiKey: 'bench' } },
  }
  writeFileSync(file, JSON.stringify(settings))
  const env = { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, XDG_STATE_HOME: join(folder, `${count}`) }
  const running = await startServer([join(root, 'dist/src/cli.js'), 'serve', '--config', file], { env })
  return { ...running, count, agent: new Agent({ keepAlive: true }), rates: [], costs: [] }
}

async function measure(gateway) {
  const pids = family(gateway.pids()[0])
  const before = usageOf(pids)
  const startedAt = performance.now()
  const answers = await askFor(gateway.url, gateway.agent, seconds * 1_000)
  gateway.rates.push(answers / ((performance.now() - startedAt) / 1_000))
  gateway.costs.push((usageOf(pids).cpuNs - before.cpuNs) / 1e6 / answers)
}

install()
build()
const folder = mkdtempSync(join(tmpdir(), 'dragoman-cores-'))
const upstream = await startServer([beside('wire/upstream.mjs')], {})
const gateways = []
try {
  for (const count of [1, workers]) gateways.push(await start(count, upstream, folder))
  for (const gateway of gateways) await askFor(gateway.url, gateway.agent, 5_000)
  for (let round = 0; round < rounds; round++)
    for (const gateway of round % 2 === 0 ? gateways : gateways.toReversed()) await measure(gateway)
  const [one] = gateways
  const rows = gateways.map(({ count, rates, costs }) => {
    const ratio = median(rates) / median(one.rates)
    return `| ${count} | ${median(rates).toFixed(0)} | ${ratio.toFixed(2)}× | ${median(costs).toFixed(2)} |`
  })
  const head = [
    '| workers | requests a second | to one | CPU ms per request, all processes |',
    '|---|---|---|---|',
  ]
  process.stdout.write(`Machine: ${machine()}\n\n${[...head, ...rows].join('\n')}\n`)
} finally {
  for (const { stop } of [...gateways, upstream]) await stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit()
