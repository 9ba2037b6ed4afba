// The events of a streamed command as one result.

import { create } from '@bufbuild/protobuf'
import { type ShellResult, ShellResultSchema } from '../../proto/gen/agent/v1/exec_shell_pb.ts'
import type { ExecOutcome } from './exec-ledger.ts'

export function shellResultOf({ args, results }: ExecOutcome): ShellResult {
  const asked =
    args.case === 'shellStreamArgs'
      ? { command: args.value.command, workingDirectory: args.value.workingDirectory }
      : {}
  let stdout = ''
  let stderr = ''
  let exitCode = 0
  let aborted = false
  for (const { message } of results) {
    const event = message.case === 'shellStream' ? message.value.event : undefined
    if (event?.case === 'stdout') stdout += event.value.data
    else if (event?.case === 'stderr') stderr += event.value.data
    else if (event?.case === 'rejected' || event?.case === 'permissionDenied') {
      return create(ShellResultSchema, { result: event })
    } else if (event?.case === 'exit') {
      exitCode = event.value.code
      aborted = event.value.aborted
    }
  }
  if (exitCode === 0 && !aborted) {
    return create(ShellResultSchema, { result: { case: 'success', value: { ...asked, stdout, stderr } } })
  }
  const value = { ...asked, stdout, stderr, exitCode, aborted }
  return create(ShellResultSchema, { result: { case: 'failure', value } })
}
