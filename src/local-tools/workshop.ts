// The environment of the local tools: the root folder, the sandbox for commands, ripgrep. Detected once.

import type { Finding } from '../core/backend.ts'
import type { Outcome } from '../protocols/client-tools/job.ts'
import type { LocalJob } from '../protocols/local-tools/calls.ts'
import type { LocalKind } from '../protocols/local-tools/definitions.ts'
import { type FetchOptions, fetchPage } from './fetch/fetch-page.ts'
import { ConfinedRoot } from './files/confined-root.ts'
import { runFileJob } from './run-file-job.ts'
import { gitIdentity } from './shell/git-identity.ts'
import { findSandbox, type Sandbox } from './shell/sandbox.ts'
import { problemOfRoot } from './shell/sandbox-view.ts'
import { findRipgrep, runSearch } from './shell/sandboxed-ripgrep.ts'
import { runShell } from './shell/shell.ts'

export interface WorkshopSettings {
  root: string
  tools: readonly LocalKind[]
  /** Paths that stay invisible even inside the root: configuration, keys, logins. */
  hidden: readonly string[]
  shell: 'sandbox' | 'unconfined'
  network: boolean
  readable: readonly string[]
  timeoutMs: number
  outputBytes: number
  maxProcesses: number
  /** The path of bwrap; else it is searched on PATH. */
  bwrap?: string | undefined
  /** The path of ripgrep, likewise. */
  ripgrep?: string | undefined
  /** Connection and timeout of `fetch`; by default the Internet and ten seconds. */
  fetching?: Pick<FetchOptions, 'connect' | 'timeoutMs'>
}

interface Watch {
  signal: AbortSignal
  onOutput?(text: string, stream: 'stdout' | 'stderr'): void
  /** A change of a command that was undone. */
  onNote?(note: string): void
}

export interface Workshop {
  root: string
  /** How commands are confined. */
  sandbox: string
  findings: Finding[]
  can(kind: LocalKind): boolean
  run(job: LocalJob, watch: Watch): Promise<Outcome>
  close(): Promise<void>
}

export async function createWorkshop(settings: WorkshopSettings): Promise<Workshop> {
  const root = await ConfinedRoot.open(settings.root, { hidden: settings.hidden })
  const unfit = problemOfRoot(root.path)
  if (unfit !== undefined) {
    await root.close()
    throw new Error(unfit)
  }
  const found = await findSandbox({ ...settings, root: root.path })
  const sandbox = 'problem' in found ? undefined : found
  // A program in the root cannot be trusted.
  const ripgrep = sandbox && findRipgrep(root.path, settings.ripgrep)
  const search = sandbox && ripgrep !== undefined ? runSearch(sandbox, ripgrep) : undefined
  const isConfined = settings.shell === 'sandbox'
  // Without a sandbox, git has the user's settings.
  const identity = isConfined && sandbox ? await gitIdentity() : {}
  const shell = { ...settings, root, identity, sandbox: isConfined ? sandbox : undefined }

  function run(job: LocalJob, watch: Watch): Promise<Outcome> {
    const { outputBytes } = settings
    const { signal } = watch
    if (job.kind === 'shell') return runShell(job, shell, watch)
    if (job.kind === 'fetch') return fetchPage(job, { ...settings.fetching, signal, outputBytes })
    const inRoot = search && ((args: readonly string[]) => search(args, { cwd: root.path, signal }))
    return runFileJob(root, job, { outputBytes, signal, ...(inRoot ? { search: inRoot } : {}) })
  }

  return {
    root: root.path,
    sandbox: sandboxName(shell.sandbox),
    findings: findingsOf(settings, found),
    can: (kind) => kind !== 'shell' || !isConfined || sandbox !== undefined,
    run,
    close: () => root.close(),
  }
}

const sandboxName = (sandbox: Sandbox | undefined) =>
  sandbox === undefined ? 'none' : `${sandbox.name} ${sandbox.version}`

function findingsOf(
  { tools, shell, network }: WorkshopSettings,
  found: Sandbox | { problem: string },
): Finding[] {
  if (!tools.includes('shell')) return [{ status: 'ok', message: 'no commands are run' }]
  if (shell === 'unconfined')
    return [
      {
        status: 'warning',
        message:
          'commands run without a sandbox, with all rights of the user: remove "exec.shell" to have them confined',
      },
    ]
  if ('problem' in found)
    return [{ status: 'warning', message: `the shell tool is not offered: ${found.problem}` }]
  const reach = network ? ', with the network' : ', without a network'
  return [{ status: network ? 'warning' : 'ok', message: `commands run in ${sandboxName(found)}${reach}` }]
}
