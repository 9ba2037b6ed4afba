// A native kind of exec: how its arguments become a job for a client tool, and how the outcome becomes the typed result of this
// kind. One row for each kind; native-kinds.ts is the table.

import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ExecClientMessageSchema } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { Job, Outcome } from '../client-tools/job.ts'

export type ExecReply = Extract<
  NonNullable<MessageInitShape<typeof ExecClientMessageSchema>['message']>,
  { case: string }
>

export type Success = Exclude<Outcome, { kind: 'failed' }>

export interface NativeKind<Args = never> {
  /** The job, or why no client can do it. */
  job(args: Args): Job | string
  /** Undefined if the outcome does not fit this kind. */
  done(args: Args, outcome: Success, workspace?: string): ExecReply[] | undefined
  failed(args: Args, error: string): ExecReply[]
  /** The user, a rule or the lack of a tool forbids it. */
  refused(args: Args, reason: string): ExecReply[]
  notFound?(args: Args): ExecReply[]
  aborted?(args: Args): ExecReply[]
}

export function replyTo<Args>(
  kind: NativeKind<Args>,
  args: Args,
  outcome: Outcome,
  workspace?: string,
): ExecReply[] {
  if (outcome.kind !== 'failed')
    return kind.done(args, outcome, workspace) ?? kind.failed(args, 'the tool gave a result of another kind')
  if (outcome.denied) return kind.refused(args, outcome.error)
  if (outcome.notFound && kind.notFound) return kind.notFound(args)
  return kind.failed(args, outcome.error)
}

/** A number from a tool's text, within the range of a field: a date is easily mistaken for a line number. */
export const countOf = (number: number) =>
  Number.isInteger(number) && number >= 0 && number <= 0x7fffffff ? number : 0

export const countLines = (text: string) => text.split('\n').length
