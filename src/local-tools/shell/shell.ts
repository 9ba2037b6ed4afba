// Runs a shell job: in the sandbox, or without one where the user said so. Bash where there is one, for that is what models
// write; the command line is one argument of it, never part of a text that another shell reads.

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
  /** Without one, a command can do what the gateway's user can. */
  sandbox: Sandbox | undefined
  /** Variables that say who the user is, to programs that cannot see the home folder. */
  identity?: Readonly<Record<string, string>>
  timeoutMs: number
  /** Over both streams; the beginning is kept. */
  outputBytes: number
  maxProcesses: number
  /** Between SIGTERM and SIGKILL: 2000. */
  graceMs?: number
}

export interface RunWatch {
  signal: AbortSignal
  onOutput?(chunk: string, stream: 'stdout' | 'stderr'): void
  /** What was undone of what the command did. */
  onNote?(note: string): void
}

/** Linux takes no longer argument. */
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

/** Found as files are: of what lies outside, it is not even told whether it exists. */
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
 * Limits that the kernel keeps: no core dumps, files up to 2 GiB, processes (dash has another letter for that). And behind the
 * others in line, the gateway and the first process of the sandbox: they must have their turn when all is to end.
 */
const setLimits =
  'ulimit -c 0; ulimit -f 4194304; ulimit -u "$0" 2>/dev/null || ulimit -p "$0" 2>/dev/null; exec nice -n 10 "$@"'

const withinLimits = (argv: readonly string[], processes: number): string[] => [
  ...['/bin/sh', '-c', setLimits, String(processes)],
  ...argv,
]

/**
 * The kernel's limit, which counts threads as well, is above ours: it stops the growth, then the watcher of run-program.ts ends
 * the command and says why. For root there is no limit by user; a task group has it instead.
 */
const kernelFactor = 2

function processLimit({ maxProcesses, sandbox }: ShellSettings): number {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  const countsByNamespace = sandbox !== undefined && (major > 5 || (major === 5 && minor >= 14))
  const others = countsByNamespace ? 0 : threadsOfUser(process.getuid?.() ?? 0)
  return others + maxProcesses * kernelFactor
}

/** JSON can carry it, but much of what reads JSON cannot. */
const withoutNul = (text: string) => text.replaceAll('\0', '\ufffd')

function toOutcome({ stdout, stderr, exitCode, truncated, endedBy }: ProgramEnd): Outcome {
  // What was ended from outside did not succeed, whatever it says.
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
