// `npm test`: install, build, then lint, types and every test side by side; ends in one line "N passed, N failed, N skipped".
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { build, compilerEnv, install, root } from './prepare.mjs'

install()
// A seed with a name: what a random one finds can be looked at again.
if (process.env.FUZZ_SEED === 'random') {
  process.env.FUZZ_SEED = String(Math.floor(Math.random() * 2 ** 31))
  console.log(`dragoman: FUZZ_SEED=${process.env.FUZZ_SEED}`)
}
const programs = spawn(process.execPath, [join(root, 'scripts', 'provide.mjs')], { stdio: 'inherit' })
const provided = new Promise((resolve) => programs.once('close', resolve))
// `types` below checks the same files.
build({ check: false })
await provided

/** The script of a tool: node_modules/.bin has shell scripts on Windows, which cannot be spawned. */
function scriptOf(name) {
  const folder = join(root, 'node_modules', ...packages[name].split('/'))
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[name])
}

const packages = { biome: '@biomejs/biome', tsc: 'typescript', vitest: 'vitest' }

/** Resolves with the exit status and, unless it is shown live, the output. */
function start(name, args, { stdio = 'pipe', env = process.env } = {}) {
  const child = spawn(process.execPath, [scriptOf(name), ...args], {
    cwd: root,
    env,
    stdio: ['ignore', stdio, stdio],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (signal !== null) console.error(`dragoman: ${name} was ended by ${signal}`)
      resolve({ status: code ?? 1, output })
    })
  })
}

const checks = [
  ['lint and format', start('biome', ['check', '--error-on-warnings', '.'])],
  ['types', start('tsc', ['-p', 'tsconfig.json', '--noEmit'], { env: compilerEnv })],
  ['types of the page', start('tsc', ['-p', 'src/inspector/page', '--noEmit'])],
]
const folder = mkdtempSync(join(tmpdir(), 'dragoman-test-'))

/** One run of vitest. A suite that cannot be loaded, or a run that crashes, has no failed test to count: it counts as one. */
async function runTests(name, env = process.env) {
  const report = join(folder, `${name}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const args = ['run', ...reporters, ...process.argv.slice(2)]
  const { status } = await start('vitest', args, { stdio: 'inherit', env })
  let counts = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 }
  try {
    counts = JSON.parse(readFileSync(report, 'utf8'))
  } catch (error) {
    console.error(`no test report was written: ${error.message}`)
  }
  const { numPassedTests: passed, numPendingTests: skipped, testResults: files = [] } = counts
  return { passed, skipped, failed: Math.max(counts.numFailedTests, status === 0 ? 0 : 1), files }
}

/** What failed and what took longest, at the end, where a reader of a long log looks first. */
function summarize(files) {
  const nameOf = (file) => relative(root, file.name)
  const slowest = files
    .map((file) => ({ name: nameOf(file), seconds: (file.endTime - file.startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, 10)
  for (const { name, seconds } of slowest) console.log(`slow: ${name}, ${seconds.toFixed(1)} s`)
  for (const file of files.filter(({ status }) => status === 'failed')) {
    const failed = file.assertionResults.filter(({ status }) => status === 'failed')
    if (failed.length === 0) console.log(`FAILED: ${nameOf(file)}: ${file.message}`)
    for (const { fullName, failureMessages } of failed)
      console.log(`FAILED: ${nameOf(file)} > ${fullName}\n  ${failureMessages[0]?.split('\n')[0]}`)
  }
}

// TEST_REPORTS names a folder that keeps the JSON reports.
const runs = [await runTests('all')]
let failedChecks = 0
for (const [label, check] of checks) {
  const { status, output } = await check
  console.log(status === 0 ? `${label}: ok` : `${output}\n${label}: FAILED`)
  if (status !== 0) failedChecks++
}
// Measures of time, once the machine is quiet (vitest.config.ts).
if (process.env.NIGHTLY && process.argv.length === 2)
  runs.push(await runTests('alone', { ...process.env, ALONE: '1' }))
if (process.env.TEST_REPORTS) cpSync(folder, process.env.TEST_REPORTS, { recursive: true })
rmSync(folder, { recursive: true, force: true })
summarize(runs.flatMap(({ files }) => files))

const sum = (count) => runs.reduce((total, run) => total + run[count], 0)
const failed = sum('failed') + failedChecks
console.log(`${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`)
process.exit(failed === 0 && sum('passed') > 0 ? 0 : 1)
