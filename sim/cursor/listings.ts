// The number of calls that a scripted turn makes at once, which the service announces before the first.

import type { CursorStep, ExecJson } from './script.ts'

/** Execs of the service itself; no model calls them. */
const NO_CALLS = /^(?:requestContext|mcpState|listMcpResources|unknown|\w+Precheck)$/
/** Pauses up to this long do not separate parallel calls. */
const APART_MS = 50

/** By the index of the step that it precedes. A script with its own announcements is unchanged. */
export function listings(steps: readonly CursorStep[]): Map<number, number> {
  const found = new Map<number, number>()
  if (steps.some((step) => 'listed' in step || 'bare' in step)) return found
  let first: number | undefined
  for (const [index, step] of steps.entries()) {
    if (!isOfGeneration(step)) first = undefined
    const count = countCalls(step)
    if (count === 0) continue
    first ??= index
    found.set(first, (found.get(first) ?? 0) + count)
  }
  return found
}

/** Steps that a model takes without waiting for a result. */
const isOfGeneration = (step: CursorStep) =>
  ['exec', 'execs', 'repeat-exec', 'say', 'think'].some((name) => name in step) ||
  ('wait' in step && step.wait <= APART_MS)

function countCalls(step: CursorStep): number {
  if ('repeat-exec' in step) return step['repeat-exec'] === 'new-call' ? 1 : 0
  const execs: readonly ExecJson[] = 'exec' in step ? [step.exec] : 'execs' in step ? step.execs : []
  return execs.filter((exec) => !NO_CALLS.test(Object.keys(exec)[0] ?? '')).length
}
