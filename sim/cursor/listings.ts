// How many calls a scripted turn makes at once, as the service says it before the first of them.

import type { CursorStep, ExecJson } from './script.ts'

/** Asked by the service for itself; no model calls them. */
const NO_CALLS = /^(?:requestContext|mcpState|listMcpResources|unknown|\w+Precheck)$/
/** Pauses up to this long do not part calls that are made at once. */
const APART_MS = 50

/** By the number of the step before which it is said. A script that says anything of it itself is left alone. */
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

/** What a model says and calls without having heard of any result. */
const isOfGeneration = (step: CursorStep) =>
  ['exec', 'execs', 'repeat-exec', 'say', 'think'].some((name) => name in step) ||
  ('wait' in step && step.wait <= APART_MS)

function countCalls(step: CursorStep): number {
  if ('repeat-exec' in step) return step['repeat-exec'] === 'new-call' ? 1 : 0
  const execs: readonly ExecJson[] = 'exec' in step ? [step.exec] : 'execs' in step ? step.execs : []
  return execs.filter((exec) => !NO_CALLS.test(Object.keys(exec)[0] ?? '')).length
}
