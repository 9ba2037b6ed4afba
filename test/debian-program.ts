// Programs that are no part of this repository: in a variable of their own, unpacked by scripts/debian.mjs, or on PATH.

import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe } from 'vitest'

export interface DebianProgram {
  program: string
  /** Names a file of the user's own. */
  variable: string
}

/** What was unpacked; setup.ts puts it behind PATH. */
export const unpackedPrograms = join(
  import.meta.dirname,
  '..',
  'node_modules',
  '.cache',
  'dragoman-debian',
  'bin',
)

export function findProgram({ program, variable }: DebianProgram): string | undefined {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program))
  // What is unpacked was found to run; a file of that name on PATH, where both are, was not.
  return [process.env[variable] ?? '', join(unpackedPrograms, program), ...onPath].find(
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
