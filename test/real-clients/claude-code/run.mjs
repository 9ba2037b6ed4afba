// `npm run test:claude-code`: Claude Code's own program through the built gateway, with Anthropic behind and with another service behind,
// each scenario in a network that has nothing but loopback. `-- --service openai --scenario WebSearch` runs one.
import { spawnSync } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chosen, fail } from '../installed.mjs'
import { root, services, startRig } from './rig.mjs'
import { notApplicable, scenarios } from './scenarios.mjs'

const many = { type: 'string', multiple: true }
const values = readOptions()
const cache = process.env.DRAGOMAN_CLIENTS ?? join(homedir(), '.cache', 'dragoman-clients')
const claude = join(cache, 'inst/claude-latest/node_modules/.bin/claude')
const scenarioNames = chosen(Object.keys(scenarios), values.scenario, 'scenario')
const serviceNames = chosen(Object.keys(services), values.service, 'service')

if (values.inner) await runOne(serviceNames[0], scenarioNames[0])
else await runAll()

function readOptions() {
  try {
    return parseArgs({ options: { service: many, scenario: many, inner: { type: 'boolean' } } }).values
  } catch (error) {
    return fail(error.message)
  }
}

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
  const counts = { pass: 0, FAIL: 0, 'not applicable': 0 }
  for (const scenario of scenarioNames)
    for (const service of serviceNames) {
      const [how, what] = outcomeOf(service, scenario)
      counts[how]++
      console.log(`${service}, ${scenario}: ${how}${what}`)
    }
  console.log(
    Object.entries(counts)
      .map(([how, count]) => `${count} ${how}`)
      .join(', '),
  )
  process.exit(counts.FAIL === 0 ? 0 : 1)
}

function outcomeOf(service, scenario) {
  const why = notApplicable[scenario]?.[service]
  if (why) return ['not applicable', `: ${why}`]
  const { problem, milliseconds = 0, requests = 0 } = inNamespace(service, scenario)
  if (problem) return ['FAIL', `: ${problem}`]
  return ['pass', `, ${(milliseconds / 1000).toFixed(1)} s, ${requests} requests`]
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
