// `npm run test:mutations`: breaks the rule behind each wire case, one at a time, in a copy of the tree, and expects the
// tests of that case to fail. This finds tests that cannot fail. `-- T24 T25` runs these cases only.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install, root } from './prepare.mjs'

install()
const wanted = process.argv.slice(2)
const mutations = JSON.parse(readFileSync(join(root, 'test/wire-cases/mutations.json'), 'utf8')).filter(
  (mutation) => wanted.length === 0 || wanted.includes(mutation.case),
)
const copy = mkdtempSync(join(tmpdir(), 'dragoman-mutations-'))
for (const entry of ['src', 'sim', 'proto', 'test', 'package.json', 'tsconfig.json', 'vitest.config.ts'])
  cpSync(join(root, entry), join(copy, entry), { recursive: true })
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))

let passed = 0
let failed = 0
for (const { case: name, rule, file, find, replace } of mutations) {
  const path = join(copy, file)
  const original = readFileSync(path, 'utf8')
  let verdict = 'the mutation does not fit the code any more'
  if (original.split(find).length === 2) {
    writeFileSync(
      path,
      original.replace(find, () => replace),
    )
    const run = spawnSync(
      join(copy, 'node_modules/.bin/vitest'),
      ['run', 'test/wire-cases', '-t', `\\b${name}\\b`],
      { cwd: copy, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
    )
    writeFileSync(path, original)
    const tests = /Tests .*?(\d+) failed/.exec(run.stdout)
    verdict = tests ? undefined : 'SURVIVED: no test failed'
    if (tests) console.log(`${name}: ${rule}: broken, ${tests[1]} tests failed as they should`)
  }
  if (verdict) console.log(`${name}: ${rule}: ${verdict}`)
  verdict ? failed++ : passed++
}
rmSync(copy, { recursive: true, force: true })
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
