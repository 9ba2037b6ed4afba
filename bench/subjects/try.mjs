// `node bench/subjects/try.mjs [NAME…]`: starts each subject of the bench, sends one streamed and one whole request with tools
// through each way that it has, and says what came out, beside what the upstream said. For people; the bench checks for itself.
//
//   --asked   what the upstream was asked, too
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { eventsOf } from '../soak/wire.mjs'
import { startClaudeCodeRouter } from './claude-code-router.mjs'
import { passThrough, startNginx } from './nginx.mjs'
import { startPortkey } from './portkey.mjs'
import { freePort, startProgram } from './process.mjs'
import { doors } from './try/doors.mjs'
import { calls, sentence, startUpstream } from './try/upstream.mjs'

const { values: flags, positionals } = parseArgs({
  options: { asked: { type: 'boolean', default: false } },
  allowPositionals: true,
})

async function startRawPipe({ upstream, folder, core }) {
  const port = await freePort()
  const args = [fileURLToPath(new URL('./raw-pipe.mjs', import.meta.url)), upstream, String(port)]
  const log = join(folder, 'raw-pipe.log')
  const running = await startProgram({ command: process.execPath, args, port, log, core })
  return { name: 'raw pipe', version: process.version, ...running, recipes: passThrough }
}

const starts = {
  'raw-pipe': startRawPipe,
  nginx: startNginx,
  portkey: startPortkey,
  'claude-code-router': startClaudeCodeRouter,
}

const print = (line) => process.stdout.write(`${line}\n`)

/** Every way in which the answer is not what the upstream said. */
function problemsOf({ text, calls: got, stop }, door) {
  const problems = []
  if (text !== sentence) problems.push(`text: ${JSON.stringify(text)}`)
  if (got.length !== calls.length) problems.push(`${got.length} calls instead of ${calls.length}`)
  for (const [at, { name, input }] of calls.entries()) {
    if (got[at] === undefined) continue
    if (got[at].name !== name) problems.push(`call ${at}: another name: ${got[at].name}`)
    const same = normal(got[at].input || '{}') === JSON.stringify(input)
    if (!same) problems.push(`call ${at}: arguments: ${got[at].input}`)
    else if (got[at].input === '' && door === 'chat')
      problems.push(`call ${at}: arguments are empty instead of {}`)
  }
  if (!['tool_calls', 'tool_use'].includes(stop)) problems.push(`stop: ${stop}`)
  return problems
}

function normal(json) {
  try {
    return JSON.stringify(JSON.parse(json))
  } catch {
    return json
  }
}

async function tryOne(subject, { door, backend, path, headers, model = 'bench' }, stream) {
  const { body, whole, streamed } = doors[door]
  const response = await fetch(`${subject.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body(model, stream)),
    signal: AbortSignal.timeout(20_000),
  })
  const text = await response.text()
  const way = `  ${door} to ${backend}, ${stream ? 'streamed' : 'whole'}`
  if (!response.ok) return print(`${way}: ${response.status} ${text.slice(0, 500)}`)
  const problems = problemsOf(stream ? streamed(eventsOf(text)) : whole(JSON.parse(text)), door)
  return print(`${way}: ${problems.length === 0 ? 'right' : `WRONG, ${problems.join('; ')}`}`)
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
const upstream = await startUpstream()
const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-subjects-'))
try {
  for (const [name, start] of Object.entries(starts)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    const subject = await start({ upstream: upstream.url, folder, core: 0 })
    if (subject === undefined) continue
    print(`${subject.name} ${subject.version}, processes ${subject.pids().join(', ')}`)
    try {
      for (const recipe of subject.recipes)
        for (const stream of [true, false]) {
          upstream.asked.length = 0
          await tryOne(subject, recipe, stream).catch((error) => print(`  ${error.stack}`))
          if (flags.asked) print(JSON.stringify(upstream.asked, null, 2))
        }
    } finally {
      await subject.stop()
    }
  }
} finally {
  upstream.stop()
  rmSync(folder, { recursive: true, force: true })
}
