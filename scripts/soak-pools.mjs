// `npm run soak:pools`: agents on a pool of accounts that are limited, revoked and slow. docs/pools.md has the figures.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const help = `npm run soak:pools [-- options]

Runs agents through a gateway on three accounts of a simulated service: one is limited again and again, one is revoked, one is
slow. Every answer is checked, and every change of an account must have its reason and its note.

  --minutes N     duration (10)
  --agents N      agents at the same time (50)
  --instances N   1, or 2 gateways with Redis (both, one after the other)
`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    agents: { type: 'string', default: '50' },
    instances: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(help)
  process.exit(0)
}
const env = { ...process.env, NIGHTLY: '1', SOAK_MINUTES: values.minutes, SOAK_AGENTS: values.agents }
if (values.instances !== undefined) env.SOAK_INSTANCES = values.instances
const cwd = fileURLToPath(new URL('..', import.meta.url))
const { status } = spawnSync('npx', ['vitest', 'run', 'test/pools/soak.nightly.test.ts'], {
  cwd,
  env,
  stdio: 'inherit',
})
process.exit(status ?? 1)
