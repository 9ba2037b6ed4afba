// `npm run test:claude-code`: Claude Code's own program through the built gateway, with Anthropic behind and with another service behind,
// each scenario in a network that has nothing but loopback. `-- --service openai --scenario WebSearch` runs one.
import { spawnSync } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { root, services, startRig } from './rig.mjs'
import { scenarios } from './scenarios.mjs'

const many = { type: 'string', multiple: true }
const { values } = parseArgs({ options: { service: many, scenario: many, inner: { type: 'boolean' } } })
const cache = process.env.DRAGOMAN_CLIENTS ?? join(homedir(), '.cache', 'dragoman-clients')
const claude = join(cache, 'inst/claude-latest/node_modules/.bin/claude')
const chosen = (all, names = all) => names.filter((name) => all.includes(name))

if (values.inner) await runOne(values.service[0], values.scenario[0])
else await runAll()

async function runOne(service, scenario) {
  const rig = await startRig({ service, claude, searches: scenario.endsWith('by the gateway') })
  const startedAt = Date.now()
  let problem
  try {
    problem = await scenarios[scenario](rig)
  } catch (error) {
    problem = error.stack
  }
  const milliseconds = Date.now() - startedAt
  console.log(JSON.stringify({ problem, milliseconds, requests: rig.seen.length, folder: rig.folder }))
  process.exit(0)
}

async function runAll() {
  const { build, install } = await import(join(root, 'scripts/prepare.mjs'))
  install()
  build()
  let failed = 0
  for (const scenario of chosen(Object.keys(scenarios), values.scenario))
    for (const service of chosen(Object.keys(services), values.service)) {
      const { problem, milliseconds = 0, requests = 0 } = inNamespace(service, scenario)
      if (problem) failed++
      const how = problem
        ? `FAIL: ${problem}`
        : `pass, ${(milliseconds / 1000).toFixed(1)} s, ${requests} requests`
      console.log(`${service}, ${scenario}: ${how}`)
    }
  process.exit(failed === 0 ? 0 : 1)
}

function inNamespace(service, scenario) {
  const isolated = ['-n', '-m', '-p', '--fork', '--mount-proc', '--kill-child']
  const again = [fileURLToPath(import.meta.url), '--inner', '--service', service, '--scenario', scenario]
  const { stdout, stderr } = spawnSync('unshare', [...isolated, process.execPath, ...again], {
    encoding: 'utf8',
    timeout: 180_000,
    killSignal: 'SIGKILL',
  })
  const last = stdout?.trim().split('\n').at(-1) ?? ''
  return last.startsWith('{') ? JSON.parse(last) : { problem: `it could not be run: ${stderr?.slice(-300)}` }
}
