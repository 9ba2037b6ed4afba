// Runs the tests of a folder that need data of $CASES_DIR, which is not part of this repository.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export function runCases(tests, files) {
  const folder = process.env.CASES_DIR
  const missing = files.filter((file) => !folder || !existsSync(join(folder, file)))
  if (missing.length > 0) {
    process.stderr.write(`Set CASES_DIR to a folder with ${missing.join(' and ')}.\n`)
    process.exit(2)
  }
  const root = fileURLToPath(new URL('..', import.meta.url))
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const { status } = spawnSync(process.execPath, [vitest, 'run', tests, '--reporter=verbose'], {
    cwd: root,
    stdio: 'inherit',
  })
  process.exit(status ?? 1)
}
