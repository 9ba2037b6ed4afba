// `npm test`: install, build, then lint, types and every test side by side; ends in one line "N passed, N failed, N skipped".
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, compilerEnv, install, root } from './prepare.mjs'

install()
const programs = spawn(process.execPath, [join(root, 'scripts', 'provide.mjs')], { stdio: 'inherit' })
const provided = new Promise((resolve) => programs.once('close', resolve))
// `types` below checks the same files.
build({ check: false })
await provided

/** Resolves with the exit status and, unless it is shown live, the output. */
function start(name, args, { stdio = 'pipe', env = process.env } = {}) {
  const child = spawn(join(root, 'node_modules', '.bin', name), args, {
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
  const { numPassedTests: passed, numPendingTests: skipped } = counts
  return { passed, skipped, failed: Math.max(counts.numFailedTests, status === 0 ? 0 : 1) }
}

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
rmSync(folder, { recursive: true, force: true })

const sum = (count) => runs.reduce((total, run) => total + run[count], 0)
const failed = sum('failed') + failedChecks
console.log(`${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`)
process.exit(failed === 0 && sum('passed') > 0 ? 0 : 1)
