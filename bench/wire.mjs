// `npm run bench`: the cost of an answer through the gateway, compared with a pipe that only forwards, nginx and other gateways.
// docs/performance.md explains the workloads and the figures.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, install } from '../scripts/prepare.mjs'
import { compareWith, formOf, readBaseline, writeBaseline } from './wire/baseline.mjs'
import { estimateInProcess, estimateSeconds, jobsFor, runCampaign, runInProcess } from './wire/campaign.mjs'
import { toSvg } from './wire/chart.mjs'
import { writeDocument } from './wire/document.mjs'
import { Figures } from './wire/figures.mjs'
import { readOptions } from './wire/options.mjs'
import { pinSelf } from './wire/processes.mjs'
import { Progress } from './wire/progress.mjs'
import { aboutRun, toMarkdown } from './wire/report.mjs'
import { startUpstreams } from './wire/subjects.mjs'

const options = readOptions(process.argv.slice(2), {
  baseline: fileURLToPath(new URL('./baseline.json', import.meta.url)),
})
if (process.platform !== 'linux') {
  process.stderr.write('bench: CPU time and memory are read from /proc, which only Linux has\n')
  process.exit(2)
}
process.setMaxListeners(100)
install()
build()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const about = aboutRun()
pinSelf()

const upstreams = await startUpstreams()
const common = { upstreams, folder }
const jobs = jobsFor(options)
const { seconds, warm, rounds } = options
const progress = new Progress(
  estimateSeconds(jobs, { seconds, warm, rounds }, common) + estimateInProcess(options),
)
const { say, onDone } = progress
progress.begin()

let exitCode = 0
try {
  const records = await runCampaign(jobs, { seconds, warm, rounds, common, say, onDone })
  const inProcess = await runInProcess(options, { say, onDone })
  finish({ about: { ...about, seconds, rounds, quick: options.quick }, records, inProcess })
} catch (error) {
  process.stderr.write(`bench: ${error.stack ?? error}\n`)
  exitCode = 1
} finally {
  await upstreams.stop()
}
process.exit(exitCode)

function finish(run) {
  const figures = new Figures(run.records)
  const { pairs } = options
  const markdown = toMarkdown(run, figures, pairs)
  process.stdout.write(`${markdown}\n`)
  const { lines, worse } = compareWith(readBaseline(options.baseline, formOf(run)), figures, pairs)
  process.stdout.write(`${lines.join('\n')}\n`)
  if (options.json) writeFileSync(resolve(options.json), `${JSON.stringify(run, null, 2)}\n`)
  if (options.markdown) writeFileSync(resolve(options.markdown), `${markdown}\n`)
  if (options.svg) writeFileSync(resolve(options.svg), toSvg(run, figures))
  if (options.docs) writeDocument(markdown, toSvg(run, figures))
  if (options.record) writeBaseline(options.baseline, run, figures, pairs)
  if (options.strict && worse > 0) exitCode = 1
}
