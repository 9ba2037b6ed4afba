// Where a client's program is on this machine.

import { realpathSync } from 'node:fs'
import type { Environment } from '../config/environment.ts'
import { findProgram } from '../local-tools/shell/find-program.ts'
import type { LaunchClient } from '../setup/launch-clients.ts'

export function installedProgram(
  { program, isAt }: LaunchClient,
  { variable }: Environment,
): string | undefined {
  if (program === undefined) return undefined
  const isRight = isAt && ((path: string) => isAt(realpathSync(path)))
  return findProgram({ program, searchPath: variable('PATH'), isRight })
}
