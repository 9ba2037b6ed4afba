// `npm test`: install, build, lint, types, every test; ends in one line "N passed, N failed, N skipped".
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { provideAll } from './debian.mjs'
import { build, install, root, run } from './prepare.mjs'

install()
build()
provideAll()

const bin = (name) => join(root, 'node_modules', '.bin', name)
const steps = [
  ['lint and format', () => run(bin('biome'), ['check', '--error-on-warnings', '.'])],
  ['types', () => run(bin('tsc'), ['-p', 'tsconfig.json', '--noEmit'])],
  ['types of the page', () => run(bin('tsc'), ['-p', 'src/inspector/page', '--noEmit'])],
]
let failedSteps = 0
for (const [label, step] of steps) {
  const status = step()
  console.log(`${label}: ${status === 0 ? 'ok' : 'FAILED'}`)
  if (status !== 0) failedSteps++
}

const folder = mkdtempSync(join(tmpdir(), 'dragoman-test-'))
const report = join(folder, 'report.json')
const status = run(bin('vitest'), [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...process.argv.slice(2),
])
let counts = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numFailedTestSuites: 0 }
try {
  counts = JSON.parse(readFileSync(report, 'utf8'))
} catch (error) {
  console.error(`no test report was written: ${error.message}`)
}
rmSync(folder, { recursive: true, force: true })

// A suite that cannot be loaded, or a run that ends badly by itself, has no failed test of its own to count.
const failed = Math.max(counts.numFailedTests, status === 0 ? 0 : 1) + failedSteps
console.log(`${counts.numPassedTests} passed, ${failed} failed, ${counts.numPendingTests} skipped`)
process.exit(failed === 0 && counts.numPassedTests > 0 ? 0 : 1)
