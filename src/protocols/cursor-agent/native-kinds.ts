// The native kinds of exec that become calls of client tools.

import type { ExecServerMessage } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { NativeKind } from './native.ts'
import { list, read, redactedRead, remove, write } from './native-files.ts'
import { diagnostics, fetchUrl, grep } from './native-search.ts'
import { backgroundShell, shell, shellStream, writeShellStdin } from './native-shell.ts'

export type ExecRequest = Extract<ExecServerMessage['message'], { case: string }>
type ArgsOf<Case extends ExecRequest['case']> = Extract<ExecRequest, { case: Case }>['value']

const kinds = {
  shellArgs: shell,
  shellStreamArgs: shellStream,
  backgroundShellSpawnArgs: backgroundShell,
  writeShellStdinArgs: writeShellStdin,
  readArgs: read,
  redactedReadArgs: redactedRead,
  writeArgs: write,
  deleteArgs: remove,
  lsArgs: list,
  grepArgs: grep,
  fetchArgs: fetchUrl,
  diagnosticsArgs: diagnostics,
} satisfies { [Case in ExecRequest['case']]?: NativeKind<ArgsOf<Case>> }

/** The row's `Args` and the request's value belong together by the table's type. */
export function nativeKind(request: ExecRequest): NativeKind<unknown> | undefined {
  return Object.hasOwn(kinds, request.case)
    ? (kinds[request.case as keyof typeof kinds] as NativeKind<unknown>)
    : undefined
}
