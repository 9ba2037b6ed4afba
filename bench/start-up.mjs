// `npm run bench:start-up`: how soon the program is ready, what that costs, and what it holds while nothing is asked of it;
// beside a bare HTTP server of Node, started in turns with it. docs/performance-start-up.md explains the figures.
//
//   --starts N         of each (15)
//   --idle N           of those that are left alone for 5 s instead (3)
//   --only A,B         cases by the beginning of their names; the bare server is always there
//   --program FILE     another build's cli.js beside this one, as cases of their own
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

/** One of each, then the next of each: what else the machine does meets all of them. */
async function inTurns(rounds, measured, measure) {
  const figures = Object.fromEntries(measured.map(({ name }) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`${measure.name} ${round} of ${rounds}\n`)
    for (const one of measured) figures[one.name].push(await measure(one))
  }
  return figures
}
