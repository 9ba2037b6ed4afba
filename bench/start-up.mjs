// `npm run bench:start-up`: time to readiness, its CPU time, and memory while idle, compared with a bare HTTP server of Node
// started alternately. docs/performance-start-up.md explains the figures.
//
//   --starts N         starts of each case (15)
//   --idle N           starts of each case that stay idle for 5 s instead (3)
//   --only A,B         cases by the beginning of their names; the bare server is always included
//   --program FILE     another build's cli.js, measured as additional cases
//   --json FILE        the figures, unrounded
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build, install, root } from '../scripts/prepare.mjs'
import { machine } from './sessions/report.mjs'
import { casesOf } from './start-up/cases.mjs'
import { measureIdle, measureStart } from './start-up/measure.mjs'
import { toMarkdown } from './start-up/report.mjs'
import { startUpstream } from './start-up/upstream.mjs'

const { values: flags } = parseArgs({
  options: {
    starts: { type: 'string', default: '15' },
    idle: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    program: { type: 'string' },
    json: { type: 'string' },
  },
})

install()
build()
const described = machine()
const folder = mkdtempSync(join(tmpdir(), 'dragoman-start-up-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
const upstream = await startUpstream()
const own = join(root, 'dist', 'src', 'cli.js')
const cases = [
  ...casesOf({ program: own, folder, upstream: upstream.url }),
  ...(flags.program ? casesOf({ program: flags.program, folder, upstream: upstream.url, mark: ' *' }) : []),
].filter(({ name }, at, all) => all.findIndex((one) => one.name === name) === at && isWanted(name))

const starts = await inTurns(Number(flags.starts), cases, measureStart)
const idle = await inTurns(
  Number(flags.idle),
  cases.filter(({ ready }) => ready),
  measureIdle,
)
upstream.close()
process.stdout.write(`${toMarkdown({ machine: described, cases, starts, idle })}\n`)
if (flags.json !== undefined)
  writeFileSync(flags.json, `${JSON.stringify({ machine: described, starts, idle }, null, 2)}\n`)

function isWanted(name) {
  return name === 'bare' || flags.only.split(',').some((beginning) => name.startsWith(beginning))
}

/** Alternates between the cases, so other work of the machine affects all of them. */
async function inTurns(rounds, measured, measure) {
  const figures = Object.fromEntries(measured.map(({ name }) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`${measure.name} ${round} of ${rounds}\n`)
    for (const one of measured) figures[one.name].push(await measure(one))
  }
  return figures
}
