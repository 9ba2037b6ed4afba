// `node bench/conform.mjs [NAME…]`: runs the wire cases on this gateway and on the peers that can be installed (bench/subjects/), one
// after the other, records the results in docs/conformance.json, and writes the tables of docs/conformance.md from them. With names,
// the records of the others stay.
//
//   --docs          only write the tables
//   --upstream K    only before this kind of upstream; nothing is recorded
//   --only T7,T8    only these cases; nothing is recorded
//   $CONFORM_SHOW   also print each failure
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { version } from '../build/src/base/version.js'
import { doorNames } from '../build/src/judge/clients/answer.js'
import { allCases } from '../build/src/judge/conform/cases/all.js'
import { findDoors } from '../build/src/judge/conform/find-doors.js'
import { jobsOf, runCases } from '../build/src/judge/conform/run.js'
import { obliging } from '../build/src/judge/conform/upstream/obliging.js'
import { startUpstream } from '../build/src/judge/conform/upstream/server.js'
import { documented, recordRun, recordText, withParts } from './conform-tables.mjs'
import { startClaudeCodeRouter } from './subjects/claude-code-router.mjs'
import { startNineRouter } from './subjects/nine-router.mjs'
import { startOmniRoute } from './subjects/omniroute.mjs'
import { startOpencodex } from './subjects/opencodex.mjs'
import { portkeyHeaders, startPortkey } from './subjects/portkey.mjs'
import { freePort, say, startProgram } from './subjects/process.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = join(root, 'docs', 'conformance.md')
const kept = join(root, 'docs', 'conformance.json')
const { values: flags, positionals } = parseArgs({
  options: {
    docs: { type: 'boolean', default: false },
    upstream: { type: 'string' },
    only: { type: 'string' },
  },
  allowPositionals: true,
})

const both = ['openai', 'anthropic']
/** Gateways look at the name, and take images, for example, only for models that they know. */
const caseName = (kind) => (kind === 'anthropic' ? 'claude-conform-{case}' : 'gpt-4o-conform-{case}')

/**
 * Of each gateway: the kinds of upstream, the prefix of model names, headers, and how many checks run at once. Those that stop
 * calling an upstream that fails take one at a time, and are given the time to calm down (`calms`).
 */
const subjects = {
  dragoman: { start: startDragoman, kinds: both, prefix: 'up/' },
  portkey: {
    start: startPortkey,
    kinds: both,
    prefix: '',
    headers: (kind, origin) => portkeyHeaders(kind, origin),
  },
  'claude-code-router': { start: startClaudeCodeRouter, kinds: ['openai'], prefix: 'up,' },
  opencodex: { start: startOpencodex, kinds: both, prefix: 'up/' },
  '9router': {
    start: startNineRouter,
    kinds: both,
    prefix: 'up/',
    atOnce: 1,
    calms: true,
    // At its Gemini door it does not read Google's header for the key.
    headers: (_kind, _origin, key) => ({ authorization: `Bearer ${key}` }),
  },
  omniroute: { start: startOmniRoute, kinds: both, prefix: 'up/', atOnce: 1, calms: true },
  'raw pipe': { start: startRawPipe, kinds: both, prefix: '' },
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
  const { start, prefix, headers = () => ({}), atOnce, calms = false } = subjects[name]
  const upstream = await startUpstream(kind, { fallback: obliging })
  const origin = new URL(upstream.url).origin
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-conform-'))
  const subject = await start({ upstream: origin, folder, kind })
  try {
    if (subject === undefined) return undefined
    const target = {
      base: `${subject.url}/v1`,
      key: subject.key ?? 'conform',
      headers: headers(kind, origin, subject.key),
      timeoutMs: 20_000,
    }
    const options = { target, model: prefix + caseName(kind), upstream }
    const missing = await findDoors(doorNames, options)
    const results = await runCases({
      ...options,
      ...(atOnce === undefined ? {} : { atOnce }),
      calms,
      jobs: jobsOf(allCases, { doors: doorNames, upstream: kind, ...(only ? { only } : {}) }),
      missing,
      signal: new AbortController().signal,
      onResult: () => undefined,
    })
    show({ ...subject, name }, kind, results)
    const date = new Date().toISOString().slice(0, 10)
    return recordRun({ name, version: subject.version, date, upstream: kind }, results, missing)
  } finally {
    await subject?.stop()
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function show({ name, version }, kind, results) {
  const count = (outcome) => results.filter((result) => result.outcome === outcome).length
  const noticed = results.filter(({ noticedBy }) => noticedBy?.length > 0).length
  const mended = results.filter(({ credits }) => credits?.includes('mended')).length
  say(
    `${name} ${version}, ${kind}: ${count('pass')} checks pass, ${count('fail')} fail (${noticed} noticed), ${count('skip')} not judged, ${mended} mended`,
  )
  if (!process.env.CONFORM_SHOW) return
  for (const { outcome, id, door, form, expected, came, noticedBy, curl } of results) {
    if (outcome !== 'fail') continue
    say(`  ${id} ${door}/${form}: expected ${expected}; came ${String(came).slice(0, 300)}`)
    say(`    noticed by: ${noticedBy?.join(', ') || 'none known'}`)
    if (process.env.CONFORM_SHOW === 'curl') say(`    ${curl}`)
  }
}

const only = flags.only?.split(',')
const names = positionals.length > 0 ? positionals : Object.keys(subjects)
const isPart = only !== undefined || flags.upstream !== undefined
if (!flags.docs) {
  const found = []
  for (const name of names)
    for (const kind of subjects[name].kinds)
      if (flags.upstream === undefined || flags.upstream === kind) found.push(await judge(name, kind))
  if (!isPart) record(found.filter((run) => run !== undefined))
}
if (!isPart) {
  const recorded = JSON.parse(readFileSync(kept, 'utf8'))
  writeFileSync(page, withParts(readFileSync(page, 'utf8'), documented(allCases, recorded)))
  say(`written: ${page}`)
}

/** In the order of the subjects. */
function record(found) {
  const before = JSON.parse(readFileSync(kept, 'utf8')).runs
  const runs = Object.keys(subjects).flatMap((name) => {
    const own = found.filter((run) => run.name === name)
    return own.length > 0 ? own : before.filter((run) => run.name === name)
  })
  writeFileSync(kept, recordText({ runs }))
}
