// The parts of a run that its flows share.

import { turnBytes } from '../../core/turn-budget.ts'
import { AnswerWriter } from './answer-writer.ts'
import { CallWindow } from './call-window.ts'
import { Continuation } from './continuation.ts'
import type { ExecDesk } from './exec.ts'
import { ExecLedger } from './exec-ledger.ts'
import { HeldMessages } from './held-messages.ts'
import { Outbox } from './outbox.ts'
import { RunClocks } from './run-clocks.ts'
import type { AnswerOptions, RunOptions } from './run-options.ts'
import { RunLife } from './run-state.ts'
import { ServerNotices } from './server-notices.ts'
import { Steering } from './steering.ts'
import { StoredAnswer } from './stored-answer.ts'
import { RunUsage } from './usage.ts'

export interface RunParts {
  readonly options: Omit<RunOptions, 'plan'>
  readonly life: RunLife
  readonly outbox: Outbox
  readonly desk: ExecDesk
  readonly execs: ExecLedger
  readonly held: HeldMessages
  readonly stored: StoredAnswer
  readonly window: CallWindow
  readonly notices: ServerNotices
  readonly steering: Steering
  readonly clocks: RunClocks
  readonly usage: RunUsage
  readonly out: AnswerWriter
  readonly continuation: Continuation
  /** Options of the current answer. */
  answer: AnswerOptions
}

export function createRunParts({ plan, ...options }: RunOptions, answer: AnswerOptions): RunParts {
  const continuation = new Continuation(plan, options.blobs)
  const context = () => continuation.context
  const { workspace } = plan
  return {
    options,
    life: new RunLife(),
    outbox: new Outbox(),
    desk: { tools: answer.tools, context, workspace, partlyRead: new Set(), note: answer.note },
    execs: new ExecLedger(options.sessionId),
    held: new HeldMessages(),
    stored: new StoredAnswer(plan.said),
    window: new CallWindow(),
    notices: new ServerNotices(),
    steering: new Steering(plan.runId, options.steering),
    clocks: new RunClocks(options.progressMs),
    usage: new RunUsage(),
    out: new AnswerWriter(),
    continuation,
    answer,
  }
}

/** How much a run may keep of what the server sends. */
export const maxServerBytes = ({ options }: RunParts): number => options.maxBytes ?? turnBytes

/** About how much memory a run uses for what the server has sent. */
export function serverBytes({ held, execs, window, stored, options, continuation }: RunParts): number {
  const waiting = held.bytes + execs.bytes + window.bytes + stored.bytes
  return waiting + options.blobs.serverBytes + continuation.checkpoint.bytes
}
