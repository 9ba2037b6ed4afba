// The attempts of a turn, read from its frames: which backend was asked, what it answered, why another attempt followed.

import type { Frame } from '../tapes/frame.ts'
import type { AttemptView } from './api.ts'

/** Characters of an error body. */
const mostOfBody = 2_000

export function attemptsOf(frames: readonly Frame[]): AttemptView[] {
  const attempts: AttemptView[] = []
  for (const frame of frames) {
    const last = attempts.at(-1)
    const open = last?.outcome === 'running' ? last : undefined
    if (frame.side === 'gateway') seeGateway(attempts, open, frame)
    else if (open && frame.side === 'upstream') seeUpstream(open, frame)
    else if (open && frame.side === 'run' && frame.do === 'error') open.message ??= frame.message
  }
  return attempts
}

function seeGateway(
  attempts: AttemptView[],
  open: AttemptView | undefined,
  frame: Extract<Frame, { side: 'gateway' }>,
): void {
  if (frame.do === 'target') {
    const { at, backend, model } = frame
    attempts.push({ at, backend, model, outcome: 'running' })
  } else if (frame.do === 'failure') {
    const { at, backend, model, code, message, status, next, waitMs, skipped } = frame
    const facts = { code, message, next, waitMs, ...(status === undefined ? {} : { status }) }
    if (skipped) attempts.push({ at, backend, model, outcome: 'skipped', ...facts })
    else if (open) Object.assign(open, facts, { outcome: 'failed', milliseconds: frame.at - open.at })
  } else if (frame.do === 'finish' && open) {
    const { error } = frame
    Object.assign(open, {
      outcome: error ? 'failed' : 'answered',
      milliseconds: frame.at - open.at,
      ...error,
    })
  }
}

function seeUpstream(open: AttemptView, frame: Extract<Frame, { side: 'upstream' }>): void {
  if (frame.do === 'response') open.status = frame.status
  else if (frame.do === 'error') open.message ??= frame.message
  else if (frame.do === 'data' && 'text' in frame && (open.status ?? 0) >= 400)
    open.body = `${open.body ?? ''}${frame.text}`.slice(0, mostOfBody)
}
