// `npm run test:live`: plays the recordings of $CASES_DIR, which are not part of this repository.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = process.env.CASES_DIR
if (!folder || !existsSync(join(folder, 'live.jsonl.gz'))) {
  process.stderr.write('Set CASES_DIR to a folder with live.jsonl.gz.\n')
  process.exit(2)
}
const root = fileURLToPath(new URL('../..', import.meta.url))
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/live', '--reporter=verbose'], {
  cwd: root,
  stdio: 'inherit',
})
process.exit(status ?? 1)
