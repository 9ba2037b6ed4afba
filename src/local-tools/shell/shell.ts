// Runs a shell job, in the sandbox or, if configured, without one. It uses bash if there is one, because models write for it.
// The command line is one argument, never part of a text that another shell parses.

import { existsSync } from 'node:fs'
import { release } from 'node:os'
import type { Failure, JobOf, Outcome } from '../../protocols/client-tools/job.ts'
import type { ConfinedRoot } from '../files/confined-root.ts'
import { notFolder, notFound, toFailure } from '../files/refusal.ts'
import { withPlace } from '../files/walk-path.ts'
import { threadsOfUser } from './process-tree.ts'
import { type ProgramEnd, runProgram } from './run-program.ts'
import type { Sandbox } from './sandbox.ts'
import { shellEnvironment } from './shell-environment.ts'
import { createTaskGroup } from './task-group.ts'

export interface ShellSettings {
  root: ConfinedRoot
  /** Without one, a command has all rights of the gateway's user. */
  sandbox: Sandbox | undefined
  /** Variables with the user's identity, for programs that cannot see the home folder. */
  identity?: Readonly<Record<string, string>>
  timeoutMs: number
  /** For both streams together; the beginning is kept. */
  outputBytes: number
  maxProcesses: number
  /** Between SIGTERM and SIGKILL; 2000 by default. */
  graceMs?: number
}

interface RunWatch {
  signal: AbortSignal
  onOutput?(chunk: string, stream: 'stdout' | 'stderr'): void
  /** A change of the command that was undone. */
  onNote?(note: string): void
}

/** The longest argument on Linux. */
const maxCommandBytes = 128 * 1024 - 1

/** Never throws. */
export async function runShell(
  job: JobOf<'shell'>,
  settings: ShellSettings,
  watch: RunWatch,
): Promise<Outcome> {
  try {
    const problem = problemOf(job)
    if (problem !== undefined) return problem
    const cwd = await workingDirectory(job.workingDirectory ?? '.', settings.root)
    return typeof cwd === 'string' ? toOutcome(await run(job, { settings, watch, cwd })) : cwd
  } catch (error) {
    return failed(`The command could not be started: ${error instanceof Error ? error.message : error}`)
  }
}

const failed = (error: string, denied = false): Failure => ({
  kind: 'failed',
  error,
  ...(denied && { denied }),
})

function problemOf({ command, background }: JobOf<'shell'>): Failure | undefined {
  if (background)
    return failed(
      'Background commands are not run here: all processes of a command end with it. Run it in the foreground, with "timeout" if it would not end by itself.',
    )
  if (command.includes('\0')) return failed('The command has a NUL in it, which no shell can be given.')
  if (command.trim() === '') return failed('The command is empty.')
  if (Buffer.byteLength(command) > maxCommandBytes)
    return failed(
      `The command is longer than ${maxCommandBytes} bytes. Write it to a file, then run that file.`,
    )
  return undefined
}

/** Resolved like a file: the error does not reveal whether an outside path exists. */
async function workingDirectory(path: string, root: ConfinedRoot): Promise<string | Failure> {
  try {
    return await withPlace(root, path, { lastLink: 'follow' }, async ({ names, held }) => {
      if (held === undefined) throw notFound(path)
      if (!held.stat.isDirectory()) throw notFolder(path)
      return [root.path, ...names].join('/')
    })
  } catch (error) {
    return toFailure(error, path)
  }
}

interface ShellRun {
  settings: ShellSettings
  watch: RunWatch
  cwd: string
}

async function run(job: JobOf<'shell'>, { settings, watch, cwd }: ShellRun): Promise<ProgramEnd> {
  const { root, sandbox, outputBytes, maxProcesses, graceMs = 2000 } = settings
  const { timeoutMs = settings.timeoutMs, command } = job
  const shell = ['/bin/bash', '/usr/bin/bash'].find((file) => existsSync(file)) ?? '/bin/sh'
  const limited = withinLimits([shell, '-c', '--', command], processLimit(settings))
  const git = sandbox && (await root.git.begin())
  const undone: string[] = []
  const end = await start().finally(async () => undone.push(...((await git?.end()) ?? [])))
  for (const note of undone) watch.onNote?.(note)
  return { ...end, stderr: [end.stderr, ...undone.map((note) => `[dragoman: ${note}]\n`)].join('') }

  async function start(): Promise<ProgramEnd> {
    const argv = sandbox?.wrap(limited, { cwd, guards: git?.mounts ?? [] }) ?? limited
    const group = createTaskGroup(maxProcesses * kernelFactor)
    return runProgram({
      argv: group?.wrap(argv) ?? argv,
      ...(group && { group }),
      cwd: sandbox ? '/' : cwd,
      env: { ...settings.identity, ...shellEnvironment({ root: root.path, sandbox, shell }) },
      contained: sandbox !== undefined,
      limits: {
        timeoutMs: timeoutMs > 0 ? Math.min(timeoutMs, settings.timeoutMs) : settings.timeoutMs,
        outputBytes,
        maxProcesses,
        graceMs,
      },
      signal: watch.signal,
      onOutput: (chunk, stream) => watch.onOutput?.(withoutNul(chunk), stream),
    }).finally(() => group?.remove())
  }
}

/**
 * Limits by the kernel: no core dumps, files up to 2 GiB, processes (dash has another letter for that). A lower priority than
 * the gateway and the first process of the sandbox, which must get CPU time to end everything.
 */
const setLimits =
  'ulimit -c 0; ulimit -f 4194304; ulimit -u "$0" 2>/dev/null || ulimit -p "$0" 2>/dev/null; exec nice -n 10 "$@"'

const withinLimits = (argv: readonly string[], processes: number): string[] => [
  ...['/bin/sh', '-c', setLimits, String(processes)],
  ...argv,
]

/**
 * The kernel's limit, which counts threads too, is above ours: it stops the growth until the watcher of run-program.ts ends the
 * command and says why. The kernel has no such limit for root; a task group takes its place.
 */
const kernelFactor = 2

function processLimit({ maxProcesses, sandbox }: ShellSettings): number {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  const countsByNamespace = sandbox !== undefined && (major > 5 || (major === 5 && minor >= 14))
  const others = countsByNamespace ? 0 : threadsOfUser(process.getuid?.() ?? 0)
  return others + maxProcesses * kernelFactor
}

/** JSON allows NUL, but many of its readers do not. */
const withoutNul = (text: string) => text.replaceAll('\0', '\ufffd')

function toOutcome({ stdout, stderr, exitCode, truncated, endedBy }: ProgramEnd): Outcome {
  // A command that the gateway ended did not succeed, even with exit code 0.
  const code = endedBy !== undefined && exitCode === 0 ? 143 : exitCode
  return {
    kind: 'shell',
    stdout: withoutNul(stdout),
    stderr: withoutNul(stderr),
    exitCode: code,
    truncated,
    ...(endedBy === 'time' && { timedOut: true }),
  }
}
