// The real Codex through the built gateway, on scripted simulators of every kind of backend: what its own contract asks, and how often
// it asks a backend that fails. Linux, as root; Codex is installed by `npm run test:clients -- --client codex`.
//   node test/real-clients/codex.mjs [--kind anthropic] [--task apply_patch] [--failure 'upstream 500'] [--keep]
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, install, root } from '../../scripts/prepare.mjs'
import { failures, tasks } from './codex-tasks.mjs'
import { chosen, fail } from './installed.mjs'

const every = ['anthropic', 'openai', 'responses', 'gemini', 'cursor', 'text', 'qwen-web']
const many = { type: 'string', multiple: true }
const wanted = readOptions()
const kinds = chosen(every, wanted.kind, 'kind')
const cache = process.env.DRAGOMAN_CLIENTS ?? join(homedir(), '.cache', 'dragoman-clients')
const program = join(cache, 'inst/codex/node_modules/.bin/codex')
if (!existsSync(program)) {
  console.error('dragoman: Codex is not installed; run `npm run test:clients -- --client codex` first')
  process.exit(2)
}
install()
build()
const work = mkdtempSync(join(tmpdir(), 'dragoman-codex-'))
const cell = join(dirname(fileURLToPath(import.meta.url)), 'codex-cell.mjs')
const isolated = ['-n', '-m', '-p', '--fork', '--mount-proc', '--kill-child']
const all = !wanted.task && !wanted.failure
let failed = 0

for (const kind of kinds)
  for (const task of wanted.task ?? (all ? Object.keys(tasks) : []))
    report(`${kind}, ${task}`, runCell({ kind, task }))
for (const failure of wanted.failure ?? (all ? Object.keys(failures) : [])) {
  const result = runCell({ kind: wanted.kind?.[0] ?? 'anthropic', failure })
  report(failure, result)
  const { requests, statuses = [], upstream, said } = result
  console.log(
    `      ${requests} requests of Codex (${statuses.join(', ')}), ${upstream} to the backend; it says: ${said}`,
  )
}
if (failed > 0 || wanted.keep) console.log(`\n${failed} failed; what they left is in ${work}`)
else rmSync(work, { recursive: true, force: true })
process.exit(failed > 0 ? 1 : 0)

function readOptions() {
  try {
    const options = { kind: many, task: many, failure: many, keep: { type: 'boolean' } }
    const { values } = parseArgs({ options })
    chosen(Object.keys(tasks), values.task, 'task')
    chosen(Object.keys(failures), values.failure, 'failure')
    return values
  } catch (error) {
    return fail(error.message)
  }
}

function runCell(cellOf) {
  const folder = join(
    work,
    Object.values(cellOf)
      .join('-')
      .replace(/[^\w-]+/g, '-'),
  )
  mkdirSync(folder, { recursive: true })
  const given = { ...cellOf, folder, program, cli: join(root, 'dist/src/cli.js') }
  const { stdout, stderr } = spawnSync(
    'unshare',
    [...isolated, process.execPath, cell, JSON.stringify(given)],
    {
      encoding: 'utf8',
      timeout: 200_000,
      killSignal: 'SIGKILL',
    },
  )
  const last = stdout?.trim().split('\n').at(-1) ?? ''
  return last.startsWith('{')
    ? JSON.parse(last)
    : { problem: `it could not be run: ${stderr?.trim().slice(-500)}` }
}

function report(name, { problem, milliseconds = 0 }) {
  if (problem) failed++
  console.log(`${problem ? 'FAIL' : 'pass'}  ${name}: ${problem ?? `${(milliseconds / 1000).toFixed(1)} s`}`)
}
