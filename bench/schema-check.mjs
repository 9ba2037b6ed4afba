// `npm run bench:schema-check`: what a check of a call takes, beside Ajv in the same run; about two minutes. docs/calls.md explains the
// figures.
//
//   --rounds N         rounds over all calls (7)
//   --json FILE        the figures, unrounded
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, install } from '../scripts/prepare.mjs'
import { cpuMicroseconds, loaders } from './schema-check/checkers.mjs'
import { hostile } from './schema-check/hostile.mjs'
import { toMarkdown, verdicts } from './schema-check/report.mjs'
import { tools } from './schema-check/tools.mjs'
import { machine } from './sessions/report.mjs'

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, json: { type: 'string' } },
})
const rounds = Number(flags.rounds)
/** Seconds of CPU time for one hostile schema. */
const patience = 10
const subjects = ['ours', 'ajv']

install()
build()
const described = machine()
const prepare = { ours: await loaders.ours(), ajv: await loaders.ajv() }

const figures = {
  machine: described,
  calls: measureCalls(),
  load: bySubject((subject) => inProcess(subject, 'load')),
  memory: bySubject((subject) => inProcess(subject, 'memory')),
  hostile: Object.keys(hostile).map((name) => ({
    name,
    ...bySubject((subject) => inProcess(subject, 'hostile', name)),
    cold: leastOf(3, () => inProcess('ours', 'hostile-cold', name)),
  })),
}
process.stdout.write(`${toMarkdown(figures)}\n\n${verdicts(figures).join('\n')}\n`)
if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(figures, null, 2)}\n`)

/** Other work of the machine only adds to it. */
function leastOf(times, measure) {
  const found = Array.from({ length: times }, measure)
  return found.reduce((least, one) => (one.ms < least.ms ? one : least))
}

/** All measures of a call in turn, in every round: other work of the machine affects all of them. The least of the rounds counts. */
function measureCalls() {
  const measures = tools.map(({ name, schema, input }) => {
    const judges = bySubject((subject) => prepare[subject](schema))
    for (const subject of subjects)
      if (judges[subject](input) !== 'fits') throw new Error(`${name} does not fit by ${subject}`)
    return {
      name,
      schemaBytes: JSON.stringify(schema).length,
      inputBytes: JSON.stringify(input).length,
      check: { ours: perRun(() => judges.ours(input), 3_000), ajv: perRun(() => judges.ajv(input), 3_000) },
      first: {
        ours: perRun(() => prepare.ours(schema)(input), 1_000),
        ajv: perRun(() => prepare.ajv(schema)(input), 15),
      },
      hash: perRun(() => createHash('sha1').update(JSON.stringify(schema)).digest('base64'), 1_000),
    }
  })
  const least = (measure) => Math.min(...Array.from({ length: rounds }, measure))
  return measures.map(({ check, first, hash, ...about }) => ({
    ...about,
    check: bySubject((subject) => least(check[subject])),
    first: bySubject((subject) => least(first[subject])),
    hash: least(hash),
  }))
}

function perRun(run, times) {
  return () =>
    cpuMicroseconds(() => {
      for (let time = 0; time < times; time++) run()
    }) / times
}

function bySubject(measure) {
  return Object.fromEntries(subjects.map((subject) => [subject, measure(subject)]))
}

function inProcess(...args) {
  const worker = fileURLToPath(new URL('./schema-check/worker.mjs', import.meta.url))
  const limited = [
    '-c',
    `ulimit -t ${patience}; exec "$@"`,
    'sh',
    process.execPath,
    '--expose-gc',
    worker,
    ...args,
  ]
  const { stdout, stderr, signal, status } = spawnSync('sh', limited, { encoding: 'utf8' })
  if (signal === 'SIGXCPU' || signal === 'SIGKILL' || status > 128) return { overdue: patience }
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}
