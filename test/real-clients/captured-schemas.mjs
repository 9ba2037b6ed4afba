// `npm run test:captured-schemas`: runs each real client (some with other settings as well) on one task, keeps the requests in a temporary folder, and judges the schemas
// of its tools in the subset of every service (test/tool-schemas/captured.test.ts). Clients are installed as for `test:clients`.
//   npm run test:captured-schemas -- --client codex --client goose
//   npm run test:captured-schemas -- --keep             leaves the folder
//   npm run test:captured-schemas -- --from FOLDER      judges such a folder once more
// The requests hold the clients' own prompts: they are never to be committed.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../../scripts/prepare.mjs'
import { clientsAndVariants } from './clients.mjs'
import { chosen, fail, prepareClients, runClient } from './installed.mjs'

const wanted = readOptions()
const names = chosen(Object.keys(clientsAndVariants), wanted.client, 'client')
if (wanted.from && jsonFiles(wanted.from) === 0) fail(`there are no requests in ${wanted.from}`)
const work = mkdtempSync(join(tmpdir(), 'dragoman-captured-'))
const missing = []
const captured = wanted.from ?? capture()
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const tests = [
  'run',
  'test/tool-schemas/captured.test.ts',
  '--reporter=verbose',
  '--disable-console-intercept',
]
const { status } = spawnSync(process.execPath, [vitest, ...tests], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, CAPTURED_REQUESTS: captured },
})
if (wanted.keep) console.log(`the requests are in ${captured}`)
else rmSync(work, { recursive: true, force: true })
if (missing.length > 0) console.log(`not captured: ${missing.join(', ')}`)
process.exit(status === 0 && missing.length === 0 ? 0 : 1)

function readOptions() {
  try {
    return parseArgs({
      options: {
        client: { type: 'string', multiple: true },
        from: { type: 'string' },
        keep: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    fail(error.message)
  }
}

function jsonFiles(folder) {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')).length : 0
}

function capture() {
  const ready = prepareClients(names)
  missing.push(...names.filter((name) => !ready.includes(name)))
  const requests = join(work, 'requests')
  mkdirSync(requests)
  for (const client of ready) {
    const fileName = client.replace(/[^\w.-]+/g, '-')
    const folder = join(work, fileName)
    const { problem } = runClient({ client, task: 'read', folder, model: 'demo-openai/gpt-demo' })
    const file = join(folder, 'requests.json')
    console.log(`${problem ? 'FAIL' : 'ran '}  ${client}${problem ? `: ${problem}` : ''}`)
    if (problem || !existsSync(file)) missing.push(client)
    else writeFileSync(join(requests, `${fileName}.json`), readFileSync(file))
  }
  return requests
}
