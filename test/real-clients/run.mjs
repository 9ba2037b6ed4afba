// `npm run test:clients`: the real clients, by their own programs, through the built gateway on each demo backend, each run in a
// network that has nothing but loopback. Clients are installed once, into ~/.cache/dragoman-clients (or $DRAGOMAN_CLIENTS).
//   npm run test:clients -- --client claude-code --backend demo-cursor --task cancel
//   npm run test:clients -- --write docs/clients.md      puts the table into that file
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { clients } from './clients.mjs'
import { chosen, fail, prepareClients, runClient } from './installed.mjs'
import { tasks } from './tasks.mjs'

const models = {
  'demo-anthropic': 'demo-anthropic/claude-demo',
  'demo-openai': 'demo-openai/gpt-demo',
  'demo-responses': 'demo-responses/gpt-demo',
  'demo-cursor': 'demo-cursor/composer-2',
  'demo-gemini': 'demo-gemini/gemini-demo',
  'demo-text': 'demo-text/text-demo',
  'demo-bedrock': 'demo-bedrock/claude-sonnet-5-5',
  'demo-vertex': 'demo-vertex/claude-sonnet-5-5',
  // The model misspells every tool's name, and sends numbers, booleans, lists and objects as text.
  'careless model': 'demo-openai/careless-demo',
  // The model uses Cursor's own tools, and the client's tools do their work.
  'cursor, own tools': 'demo-cursor/composer-2',
}
const many = { type: 'string', multiple: true }
const wanted = readOptions()
const clientNames = chosen(Object.keys(clients), wanted.client, 'client')
const backendNames = chosen(Object.keys(models), wanted.backend, 'backend')
const taskNames = chosen(Object.keys(tasks), wanted.task, 'task')

const [begin, end] = [
  '<!-- the table: npm run test:clients -- --write docs/clients.md -->',
  '<!-- its end -->',
]
// Before the work of an hour, not after it.
if (wanted.write) placeOfTable(wanted.write)
const ready = prepareClients(clientNames)
const work = mkdtempSync(join(tmpdir(), 'dragoman-clients-'))
const results = ready.map((client) => ({
  client,
  cells: backendNames.map((backend) => runCell(client, backend)),
}))
const table = toTable()
console.log(`\n${table}`)
if (wanted.write) writeTable(wanted.write)
const failures = results.flatMap(({ cells }) => cells.flatMap(({ failed }) => failed))
if (failures.length > 0) console.log(`\n${failures.length} failed; what they left is in ${work}`)
else if (!wanted.keep) rmSync(work, { recursive: true, force: true })
process.exit(failures.length > 0 || ready.length < clientNames.length ? 1 : 0)

function readOptions() {
  try {
    return parseArgs({
      options: {
        client: many,
        backend: many,
        task: many,
        write: { type: 'string' },
        keep: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    fail(error.message)
  }
}

function runCell(client, backend) {
  const outcomes = taskNames.map((task) => ({ task, ...runTask(client, backend, task) }))
  return {
    backend,
    passed: outcomes.filter(({ problem }) => !problem).length,
    failed: outcomes.filter(({ problem }) => problem),
    seconds: outcomes.reduce((sum, { milliseconds = 0 }) => sum + milliseconds, 0) / 1000,
    tools: [...new Set(outcomes.flatMap(({ tools = [] }) => tools))],
  }
}

function runTask(client, backend, task) {
  const result = runClient({
    ...{ client, task },
    folder: join(work, [client, backend, task].join('-').replace(/[^\w-]+/g, '-')),
    model: models[backend],
    ...(backend === 'cursor, own tools' && { nativeTools: 'redirect' }),
  })
  const time = `${((result.milliseconds ?? 0) / 1000).toFixed(1)} s`
  console.log(
    `${result.problem ? 'FAIL' : 'pass'}  ${client}, ${backend}, ${task}: ${result.problem ?? `${time}, ${(result.tools ?? []).join(' ')}`}`,
  )
  return result
}

function toTable() {
  const row = (entries) => `| ${entries.join(' | ')} |`
  const shown = ({ passed, failed, seconds, tools }) => {
    const count = failed.length === 0 ? 'pass' : `${passed} of ${taskNames.length}`
    return `${count}, ${seconds.toFixed(0)} s: ${tools.map((name) => `\`${name}\``).join(' ')}`
  }
  return [
    row(['client', ...backendNames]),
    row(['client', ...backendNames].map(() => '---')),
    ...results.map(({ client, cells }) => row([client, ...cells.map(shown)])),
  ].join('\n')
}

/** Between two marks, so that the words around it stay. */
function placeOfTable(path) {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) fail(`${path} has no place for the table (${begin} … ${end})`)
  return { before, after }
}

function writeTable(path) {
  const { before, after } = placeOfTable(path)
  const words = `Tasks: ${taskNames.join('; ')}.\n\n${table}`
  writeFileSync(path, `${before}${begin}\n\n${words}\n\n${end}${after}`)
}
