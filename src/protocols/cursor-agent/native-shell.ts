// Commands. The same request has two forms: one expects a single result, the other a stream of events.

import type { MessageInitShape } from '@bufbuild/protobuf'
import type {
  BackgroundShellSpawnArgs,
  ShellArgs,
  ShellStreamSchema,
  WriteShellStdinArgs,
} from '../../../proto/gen/agent/v1/exec_shell_pb.ts'
import type { Job } from '../client-tools/job.ts'
import type { ExecReply, NativeKind, Success } from './native.ts'

type StreamEvent = NonNullable<MessageInitShape<typeof ShellStreamSchema>['event']>

const abortReason = { user: 1, timeout: 2 }

function shellJob(args: ShellArgs): Job | string {
  if (args.isBackground) return inForeground
  return {
    kind: 'shell',
    command: args.command,
    ...(args.workingDirectory === '' ? {} : { workingDirectory: args.workingDirectory }),
    ...(args.timeout > 0 ? { timeoutMs: args.timeout } : {}),
    ...(args.description === undefined || args.description === '' ? {} : { description: args.description }),
  }
}

const inForeground = 'commands cannot be left running in the background here: run it in the foreground'

const where = ({ command, workingDirectory }: { command: string; workingDirectory: string }) => ({
  command,
  workingDirectory,
})

/** Some clients report only the output: the model must not mistake that for a success. */
function errorOutput({ stderr, exitCode, exitCodeAssumed }: Extract<Success, { kind: 'shell' }>): string {
  if (!exitCodeAssumed) return stderr
  return `${stderr}${stderr === '' || stderr.endsWith('\n') ? '' : '\n'}(The client does not tell exit codes: ${exitCode} is assumed.)\n`
}

export const shell: NativeKind<ShellArgs> = {
  job: shellJob,
  done(args, outcome) {
    if (outcome.kind !== 'shell') return undefined
    const { stdout } = outcome
    const stderr = errorOutput(outcome)
    // Windows has exit codes beyond 31 bits.
    const exitCode = outcome.exitCode | 0
    if (outcome.timedOut)
      return [result({ case: 'timeout', value: { ...where(args), timeoutMs: args.timeout } })]
    const value = { ...where(args), exitCode, stdout, stderr }
    return [result(exitCode === 0 ? { case: 'success', value } : { case: 'failure', value })]
  },
  failed: (args, error) => [result({ case: 'spawnError', value: { ...where(args), error } })],
  refused: (args, reason) => [result({ case: 'rejected', value: { ...where(args), reason } })],
  aborted: (args) => [
    result({
      case: 'failure',
      value: { ...where(args), exitCode: 130, aborted: true, abortReason: abortReason.user },
    }),
  ],
}

type ShellResultInit = NonNullable<Extract<ExecReply, { case: 'shellResult' }>['value']['result']>
const result = (value: ShellResultInit): ExecReply => ({ case: 'shellResult', value: { result: value } })

export const shellStream: NativeKind<ShellArgs> = {
  job: shellJob,
  done(args, outcome) {
    if (outcome.kind !== 'shell') return undefined
    const { stdout, exitCode, timedOut } = outcome
    const stderr = errorOutput(outcome)
    const end = timedOut ? { aborted: true, abortReason: abortReason.timeout } : {}
    return stream(
      { case: 'start', value: {} },
      ...(stdout === '' ? [] : [{ case: 'stdout' as const, value: { data: stdout } }]),
      ...(stderr === '' ? [] : [{ case: 'stderr' as const, value: { data: stderr } }]),
      { case: 'exit', value: { code: exitCode >>> 0, cwd: args.workingDirectory, ...end } },
    )
  },
  failed: (args, error) =>
    stream(
      { case: 'start', value: {} },
      { case: 'stderr', value: { data: error } },
      { case: 'exit', value: { code: 1, cwd: args.workingDirectory } },
    ),
  refused: (args, reason) => stream({ case: 'rejected', value: { ...where(args), reason } }),
  aborted: (args) =>
    stream(
      { case: 'start', value: {} },
      {
        case: 'exit',
        value: { code: 130, cwd: args.workingDirectory, aborted: true, abortReason: abortReason.user },
      },
    ),
}

const stream = (...events: StreamEvent[]): ExecReply[] =>
  events.map((event) => ({ case: 'shellStream', value: { event } }))

export const backgroundShell: NativeKind<BackgroundShellSpawnArgs> = {
  job: () => inForeground,
  done: () => undefined,
  failed: (args, error) => [
    {
      case: 'backgroundShellSpawnResult',
      value: { result: { case: 'error', value: { ...where(args), error } } },
    },
  ],
  refused: (args, reason) => [
    {
      case: 'backgroundShellSpawnResult',
      value: { result: { case: 'rejected', value: { ...where(args), reason } } },
    },
  ],
}

const stdinError = (error: string): ExecReply[] => [
  { case: 'writeShellStdinResult', value: { result: { case: 'error', value: { error } } } },
]

export const writeShellStdin: NativeKind<WriteShellStdinArgs> = {
  job: ({ shellId }) => `there is no running shell ${shellId}`,
  done: () => undefined,
  failed: (_args, error) => stdinError(error),
  refused: (_args, reason) => stdinError(reason),
}
