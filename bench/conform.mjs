// `node bench/conform.mjs [NAME…]`: runs the wire cases on this gateway and on the peers that can be installed (bench/subjects/), records
// the results in docs/conformance.json, and writes the tables of docs/conformance.md from them.
//
//   --docs   only write the tables
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { version } from '../dist/src/base/version.js'
import { allCases } from '../dist/src/judge/conform/cases/all.js'
import { findDoors } from '../dist/src/judge/conform/find-doors.js'
import { jobsOf, runCases } from '../dist/src/judge/conform/run.js'
import { obliging } from '../dist/src/judge/conform/upstream/obliging.js'
import { startUpstream } from '../dist/src/judge/conform/upstream/server.js'
import { documented, recordRun, withParts } from './conform-tables.mjs'
import { startClaudeCodeRouter } from './subjects/claude-code-router.mjs'
import { portkeyHeaders, startPortkey } from './subjects/portkey.mjs'
import { freePort, say, startProgram } from './subjects/process.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = join(root, 'docs', 'conformance.md')
const kept = join(root, 'docs', 'conformance.json')
const { values: flags, positionals } = parseArgs({
  options: { docs: { type: 'boolean', default: false } },
  allowPositionals: true,
})

const all = ['chat', 'messages', 'responses']

/** Of each gateway: the kinds of upstream, the model name to request, and headers. */
const subjects = {
  dragoman: { start: startDragoman, kinds: ['openai', 'anthropic'], model: 'up/conform-{case}' },
  portkey: {
    start: startPortkey,
    kinds: ['openai', 'anthropic'],
    model: 'conform-{case}',
    headers: (kind, origin) => portkeyHeaders(kind, origin),
  },
  'claude-code-router': { start: startClaudeCodeRouter, kinds: ['openai'], model: 'up,conform-{case}' },
  'raw pipe': { start: startRawPipe, kinds: ['openai', 'anthropic'], model: 'conform-{case}' },
}

async function startDragoman({ upstream, folder, kind }) {
  const port = await freePort()
  const config = join(folder, 'dragoman.jsonc')
  const baseUrl = kind === 'openai' ? `${upstream}/v1` : upstream
  writeFileSync(
    config,
    JSON.stringify({
      auth: 'none',
      listen: { port },
      backends: { up: { kind, baseUrl, apiKey: 'x' } },
      log: { level: 'error' },
    }),
  )
  const args = [join(root, 'dist', 'src', 'cli.js'), 'serve', '--config', config]
  const env = { ...process.env, HOME: folder }
  const running = await startProgram({ command: process.execPath, args, env, port, log: join(folder, 'log') })
  return { name: 'dragoman', version, ...running }
}

async function startRawPipe({ upstream, folder }) {
  const port = await freePort()
  const args = [fileURLToPath(new URL('./subjects/raw-pipe.mjs', import.meta.url)), upstream, String(port)]
  const running = await startProgram({ command: process.execPath, args, port, log: join(folder, 'log') })
  return { name: 'raw pipe', version: '', ...running }
}

async function judge(name, kind) {
  const { start, model, headers = () => ({}) } = subjects[name]
  const upstream = await startUpstream(kind, { fallback: obliging })
  const origin = new URL(upstream.url).origin
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-conform-'))
  const subject = await start({ upstream: origin, folder, kind })
  try {
    if (subject === undefined) return undefined
    const base = `${subject.url}/v1`
    const target = { base, key: 'conform', headers: headers(kind, origin), timeoutMs: 15_000 }
    const options = { target, model, upstream }
    const missing = await findDoors(all, options)
    const jobs = jobsOf(allCases, { doors: all, upstream: kind })
    const results = await runCases({
      ...options,
      jobs,
      missing,
      signal: new AbortController().signal,
      onResult: () => undefined,
    })
    const count = (outcome) => results.filter((result) => result.outcome === outcome).length
    say(
      `${name} ${subject.version}, ${kind}: ${count('pass')} pass, ${count('fail')} fail, ${count('skip')} not judged`,
    )
    if (process.env.CONFORM_SHOW)
      for (const { outcome, id, door, form, expected, came } of results)
        if (outcome === 'fail')
          say(`  ${id} ${door}/${form}: expected ${expected}; came ${String(came).slice(0, 300)}`)
    return recordRun({ name, version: subject.version, upstream: kind }, results, missing)
  } finally {
    await subject?.stop()
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const names = positionals.length > 0 ? positionals : Object.keys(subjects)
if (!flags.docs) {
  const runs = []
  for (const name of names) for (const kind of subjects[name].kinds) runs.push(await judge(name, kind))
  const found = runs.filter((run) => run !== undefined)
  if (positionals.length === 0)
    writeFileSync(
      kept,
      `${JSON.stringify({ date: new Date().toISOString().slice(0, 10), runs: found }, undefined, 2)}\n`,
    )
}
if (flags.docs || positionals.length === 0) {
  const recorded = JSON.parse(readFileSync(kept, 'utf8'))
  writeFileSync(page, withParts(readFileSync(page, 'utf8'), documented(allCases, recorded)))
  say(`written: ${page}`)
}
