// `npm run test:official-client`: Cursor's own SDK from npm completes runs on our simulator, on both transports. This shows that
// the simulator follows the official client's protocol. The package is proprietary and not a dependency of this project: it is
// installed into a temporary folder, used unchanged, and removed. `-- 1.0.32` tests that version only.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, install, root, run } from './prepare.mjs'

/** The later version needs a newer Node for its storage; the script installs one if this Node is older. */
const versions = [
  { version: '1.0.18', node: 20 },
  { version: '1.0.32', node: 22 },
].filter(({ version }) => process.argv.length < 3 || process.argv.includes(version))

install()
build()
const { startCursorSim } = await import(join(root, 'build/sim/cursor.js'))
// Our .npmrc forbids install scripts, and npm passes that on to child processes; this package needs them for its database.
const { npm_config_ignore_scripts: _ours, ...env } = process.env

/** Returns the path of the Node to run it with. */
function installClient({ version, node }, folder) {
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const isOwn = Number(process.versions.node.split('.')[0]) >= node
  const packages = [`@cursor/sdk@${version}`, ...(isOwn ? [] : [`node@${node}`])]
  console.log(`installing ${packages.join(' and ')} into ${folder}`)
  const status = run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], {
    cwd: folder,
    env,
  })
  if (status !== 0) process.exit(1)
  return isOwn ? process.execPath : join(folder, 'node_modules', 'node', 'bin', 'node')
}

/** The SDK's runs and their expected results. */
const scenarios = [
  { name: 'a tool', prompt: 'Call add with {"a":2,"b":40}', calls: 1, says: '42' },
  {
    name: 'parallel tools',
    prompt: 'Call add with {"a":1,"b":2} and call add with {"a":3,"b":4}',
    calls: 2,
    says: '7',
  },
  { name: 'a slow tool', prompt: 'Call slow with {}', calls: 1, says: 'slow is done' },
  {
    name: 'its state is asked',
    prompt: 'Call add with {"a":2,"b":40}',
    calls: 1,
    says: '42',
    sim: { mcpState: 'every' },
    from: '1.0.32',
  },
  { name: 'native read', prompt: 'Read a.txt', calls: 0, says: 'alpha' },
  { name: 'native shell', prompt: 'Run `echo shell-$((40+2))`', calls: 0, says: 'shell-42' },
]

const clientSource = `import { Agent } from '@cursor/sdk'
const { prompt, cwd } = JSON.parse(process.env.TASK)
let calls = 0
const schema = (...names) => ({ type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'number' }])), required: names })
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const customTools = {
  add: { description: 'Adds two numbers', inputSchema: schema('a', 'b'), execute: async ({ a, b }) => { calls++; return 'sum is ' + (a + b) } },
  slow: { description: 'Takes its time', inputSchema: schema(), execute: async () => { calls++; await pause(10_000); return 'slow is done' } },
}
const agent = await Agent.create({ apiKey: 'crsr_any', model: { id: 'composer-2' }, local: { cwd, settingSources: [], customTools } })
let text = ''
const sent = await agent.send(prompt, { onDelta: ({ update }) => { if (update.type === 'text-delta') text += update.text } })
const end = await sent.wait()
console.log('RESULT ' + JSON.stringify({ status: end.status, text, calls }))
process.exit(0)
`

async function runClient(url, prompt, { folder, node }) {
  const cwd = join(folder, 'workspace')
  mkdirSync(cwd, { recursive: true })
  writeFileSync(join(cwd, 'a.txt'), 'alpha\n')
  const client = spawn(node, ['client.mjs'], {
    cwd: folder,
    env: {
      ...process.env,
      HOME: join(folder, 'home'),
      CURSOR_BACKEND_URL: url,
      TASK: JSON.stringify({ prompt, cwd }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  client.stdout.on('data', (data) => (out += data))
  const patience = setTimeout(() => client.kill('SIGKILL'), 90_000)
  await new Promise((resolve) => client.once('exit', resolve))
  clearTimeout(patience)
  const line = out.split('\n').find((text) => text.startsWith('RESULT '))
  return line ? JSON.parse(line.slice('RESULT '.length)) : { status: 'no result', text: out, calls: 0 }
}

/** Whether all runs passed. */
async function tryScenario({ name, prompt, calls, says }, sim, client) {
  const started = Date.now()
  const result = await runClient(sim.url, prompt, client)
  const problems = [
    ...sim.violations,
    ...(result.status === 'finished' ? [] : [`status ${result.status}`]),
    ...(result.calls === calls ? [] : [`${result.calls} calls instead of ${calls}`]),
    ...(result.text.includes(says) ? [] : [`"${says}" is not in "${result.text}"`]),
  ]
  const transport = sim.runs.at(-1)?.transport ?? 'no run'
  const verdict = problems.length === 0 ? 'ok' : `FAILED: ${problems.join('; ')}`
  const took = String(Date.now() - started).padStart(6)
  console.log(`${client.version} ${transport.padEnd(6)} ${name.padEnd(20)} ${took} ms  ${verdict}`)
  return problems.length === 0
}

let failed = 0
for (const wanted of versions) {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-official-client-'))
  writeFileSync(join(folder, 'client.mjs'), clientSource)
  const client = { version: wanted.version, folder, node: installClient(wanted, folder) }
  for (const http2 of ['off', 'forced']) {
    for (const scenario of scenarios.filter(({ from = '' }) => wanted.version >= from)) {
      const sim = await startCursorSim({ http2, ...scenario.sim })
      if (!(await tryScenario(scenario, sim, client))) failed++
      await sim.close()
    }
  }
  rmSync(folder, { recursive: true, force: true })
}
console.log(failed === 0 ? 'all runs complete, nothing to complain about' : `${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
