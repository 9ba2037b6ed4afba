// Runs ripgrep in the sandbox, where it can read the root and write nothing.

import { realpathSync } from 'node:fs'
import { findProgram } from './find-program.ts'
import { runProgram } from './run-program.ts'
import type { Sandbox } from './sandbox.ts'

/** `named`, or on PATH outside of the root. */
export const findRipgrep = (root: string, named: string | undefined): string | undefined =>
  findProgram({ program: 'rg', named, outside: root })

interface SearchOptions {
  cwd: string
  signal?: AbortSignal
}

interface SearchEnd {
  stdout: string
  stderr: string
  /** 0: matches, 1: no match, 2: an error, described in stderr. */
  code: number
  /** Too much output, or out of time. */
  truncated: boolean
}

const limits = { timeoutMs: 20_000, outputBytes: 16 * 2 ** 20, maxProcesses: 64, graceMs: 0 }

export function runSearch(sandbox: Sandbox, rgPath: string) {
  const rg = realpathSync(rgPath)
  return async (args: readonly string[], { cwd, signal }: SearchOptions): Promise<SearchEnd> => {
    const end = await runProgram({
      argv: sandbox.wrap([rg, '--no-config', ...args], { cwd, readOnly: true, readable: [rg] }),
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', HOME: sandbox.home },
      contained: true,
      limits,
      ...(signal && { signal }),
    })
    const { stdout, stderr, exitCode: code } = end
    return { stdout, stderr, code, truncated: end.truncated || end.endedBy !== undefined }
  }
}
