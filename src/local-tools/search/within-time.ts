// Runs a task with a time limit, such as a regular expression from outside.

import { createContext, Script } from 'node:vm'
import { codeOf } from '../files/refusal.ts'

const script = new Script('task()')
const context = createContext({ task: undefined as unknown })

/** Undefined if it took too long. It blocks the event loop, so the time must be short. */
export function withinTime<Result>(timeoutMs: number, task: () => Result): { result: Result } | undefined {
  try {
    context.task = task
    return { result: script.runInContext(context, { timeout: timeoutMs }) }
  } catch (error) {
    if (codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  } finally {
    context.task = undefined
  }
}
