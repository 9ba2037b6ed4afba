// Programs that are no part of this repository: on PATH, in a variable of their own, or unpacked by scripts/debian.mjs.

import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe } from 'vitest'

export interface DebianProgram {
  program: string
  /** Names a file of the user's own. */
  variable: string
}

const cache = join(import.meta.dirname, '..', 'node_modules', '.cache', 'dragoman-debian', 'bin')

export function findProgram({ program, variable }: DebianProgram): string | undefined {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program))
  return [process.env[variable] ?? '', ...onPath, join(cache, program)].find(
    (file) => file !== '' && existsSync(file),
  )
}

/** As `describe`; skipped loudly where one of the programs is not there, except in CI, where that is a failure. */
export function describeWith(programs: readonly DebianProgram[], name: string, tests: () => void): void {
  const missing = programs.filter((one) => findProgram(one) === undefined)
  for (const { program, variable } of missing)
    complain(`no ${program} on PATH, in $${variable} or from scripts/test.mjs: "${name}" is not tested`)
  describe.skipIf(missing.length > 0)(name, tests)
}

function complain(text: string): void {
  if (process.env.CI) throw new Error(text)
  process.stderr.write(`\n!!! ${text}\n\n`)
}
