// A sandbox for tests with its own root, and files outside that must stay invisible and unchanged.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { findSandbox, type Sandbox, type SandboxSettings } from '../src/local-tools/shell/sandbox.ts'
import { atEnd } from './at-end.ts'
import { describeWith, findProgram } from './debian-program.ts'

const program = { program: 'bwrap', variable: 'DRAGOMAN_BWRAP' }
const bwrap = findProgram(program)

/** Must not come out of a sandbox, wherever it is kept. */
export const canary = 'canary-7d1f0c5e'

export interface Playground {
  /** Where commands may write. */
  root: string
  /** Beside it, with the canary in `secret.txt`. */
  outside: string
}

export function createPlayground(): Playground {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'dragoman-sandbox-')))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const [root, outside] = [join(folder, 'root'), join(folder, 'outside')]
  for (const path of [root, outside]) mkdirSync(path)
  writeFileSync(join(outside, 'secret.txt'), canary)
  return { root, outside }
}

export async function sandboxFor(root: string, settings: Partial<SandboxSettings> = {}): Promise<Sandbox> {
  const found = await findSandbox({
    root,
    hidden: [],
    readable: [],
    network: false,
    ...(bwrap !== undefined && { bwrap }),
    ...settings,
  })
  if ('problem' in found) throw new Error(found.problem)
  return found
}

/** As `describe`; where there is no bwrap, skipped loudly, and a failure in CI; where the kernel forbids its work, skipped. */
export function describeWithSandbox(name: string, tests: () => void): void {
  const reason = bwrap && problemOfBwrap()
  if (!reason) return describeWith([program], name, tests)
  process.stderr.write(`\n!!! ${reason}: "${name}" is not tested\n\n`)
  describe.skip(name, tests)
}

let known: string | undefined

function problemOfBwrap(): string {
  known ??= tryBwrap()
  return known
}

function tryBwrap(): string {
  try {
    execFileSync(bwrap ?? '', ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', 'true'], {
      stdio: 'pipe',
    })
    return ''
  } catch (error) {
    return `bwrap cannot work here (${error instanceof Error ? error.message.trim() : error})`
  }
}
