// `node bench/malformed-calls.mjs [NAME…]`: every kind of malformed call (test/malformed-calls) through this gateway, through Portkey's and
// through a raw pipe. Prints what arrives, and writes it into docs/calls.md if no NAME is given.
//
//   --show   each kind that is lost, changed or passed on silently, too
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runnerImport } from 'vite'
import { tableOf, withTable } from './malformed-calls/table.mjs'
import { portkeyHeaders, startPortkey } from './subjects/portkey.mjs'
import { freePort, say, startProgram } from './subjects/process.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = join(root, 'docs', 'calls.md')
const { values: flags, positionals } = parseArgs({
  options: { show: { type: 'boolean', default: false } },
  allowPositionals: true,
})

const parts = fileURLToPath(new URL('./malformed-calls/parts.ts', import.meta.url))
const { module: tests } = await runnerImport(parts, { configFile: false, logLevel: 'error' })
const { ask, firstAnswer, kinds, outcomeOf, secondAnswer, startScriptedModel, toolsOf, worst } = tests

const services = { chat: 'openai', messages: 'anthropic' }
const chatToChat = { door: 'chat', dialect: 'chat' }
const chatToMessages = { door: 'chat', dialect: 'messages' }
const messagesToMessages = { door: 'messages', dialect: 'messages' }

/** Of each gateway: the ways that it has, and how it is asked. */
const subjects = {
  dragoman: {
    title: 'Dragoman',
    start: (options) => startDragoman(options),
    ways: [chatToChat, chatToMessages, messagesToMessages],
    model: (dialect) => `${dialect}/m`,
  },
  'dragoman-retry': {
    title: 'Dragoman, `"retry"`',
    start: (options) => startDragoman({ ...options, check: 'retry' }),
    ways: [chatToChat, chatToMessages, messagesToMessages],
    model: (dialect) => `${dialect}/m`,
  },
  portkey: {
    title: 'Portkey',
    start: startPortkey,
    ways: [chatToChat, chatToMessages],
    headers: (dialect, upstream) => portkeyHeaders(services[dialect], upstream),
  },
  'raw-pipe': { title: 'a raw pipe', start: startRawPipe, ways: [chatToChat, messagesToMessages] },
}

async function startDragoman({ upstream, folder, check }) {
  const port = await freePort()
  const config = join(folder, 'dragoman.jsonc')
  const backends = {
    chat: { kind: 'openai', api: 'chat', baseUrl: `${upstream}/v1`, apiKey: 'x' },
    messages: { kind: 'anthropic', baseUrl: upstream, apiKey: 'x' },
  }
  const calls = check === undefined ? {} : { calls: { check } }
  writeFileSync(
    config,
    JSON.stringify({ auth: 'none', listen: { port }, backends, log: { level: 'error' }, ...calls }),
  )
  const args = [join(root, 'dist', 'src', 'cli.js'), 'serve', '--config', config]
  const env = { ...process.env, HOME: folder }
  return startProgram({ command: process.execPath, args, env, port, log: join(folder, 'log') })
}

async function startRawPipe({ upstream, folder }) {
  const port = await freePort()
  const args = [fileURLToPath(new URL('./subjects/raw-pipe.mjs', import.meta.url)), upstream, String(port)]
  return startProgram({ command: process.execPath, args, port, log: join(folder, 'log') })
}

const forms = [true, false].flatMap((stream) => [true, false].map((parallel) => ({ stream, parallel })))

async function outcomeOfForm(kind, { stream, parallel }, { url, model, way, asking }) {
  const { door, dialect } = way
  // After an answer that cannot be read, a gateway may send the same request again: then all calls come again.
  const second = kind.class === 'broken' && parallel ? 'repeats' : 'good'
  model.play(dialect, [firstAnswer(kind, parallel), secondAnswer(kind, second)])
  const more = door === 'chat' ? { max_tokens: 4_000 } : {}
  try {
    const heard = await ask(url, { door, stream, tools: toolsOf(kind), more, ...asking })
    return outcomeOf(kind, heard, parallel, model.asked.length)
  } catch {
    // What came is not of the dialect.
    return 'error'
  }
}

async function runWay(subject, way, { url, model }) {
  const { dialect } = way
  const { title, version = '', headers = () => ({}) } = subject
  const asking = { model: subject.model?.(dialect) ?? 'm', headers: headers(dialect, model.url) }
  const run = {
    gateway: `${title} ${version}`.trim(),
    way: `${way.door} → ${dialect}`,
    malformed: [],
    fitting: [],
  }
  for (const kind of kinds) {
    const found = []
    // A whole Messages answer holds arguments as a value: it cannot be broken alone.
    const possible =
      kind.class === 'broken' && dialect === 'messages' ? forms.filter(({ stream }) => stream) : forms
    for (const form of possible) found.push(await outcomeOfForm(kind, form, { url, model, way, asking }))
    const outcome = worst(found)
    run[kind.class === 'fits' ? 'fitting' : 'malformed'].push(outcome)
    if (flags.show && ['changed', 'lost', 'silent'].includes(outcome))
      say(`  ${run.gateway}, ${run.way}: ${kind.id}: ${outcome}`)
  }
  return run
}

async function runSubject(subject) {
  const model = await startScriptedModel()
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-malformed-calls-'))
  const running = await subject.start({ upstream: model.url, folder })
  try {
    if (running === undefined) return []
    const runs = []
    for (const way of subject.ways)
      runs.push(await runWay({ ...subject, version: running.version }, way, { url: running.url, model }))
    return runs
  } finally {
    await running?.stop()
    model.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const runs = []
for (const [name, subject] of Object.entries(subjects))
  if (positionals.length === 0 || positionals.includes(name)) runs.push(...(await runSubject(subject)))
const table = tableOf(runs, { date: new Date().toISOString().slice(0, 10) })
process.stdout.write(`${table}\n`)
if (positionals.length === 0) {
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), table))
  say(`written: ${page}`)
}
