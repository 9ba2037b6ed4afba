// Decides when to stop a probe: when further requests would fail in the same way and still cost tokens.

import type { ErrorCode } from '../../core/errors.ts'
import { toolTextHint } from '../../protocols/openai-chat/errors.ts'
import type { Failure } from './failure.ts'
import type { TaskRun } from './run-task.ts'
import { needsCalls, type Task } from './task.ts'

/** Errors that every further request would get. */
const finalCodes = new Set<ErrorCode>([
  'unauthenticated',
  'forbidden',
  'upstream-credential',
  'not-found',
  'quota-exhausted',
  'upstream-challenge',
])

/** Consecutive failures after which the probe stops. */
const enough = 3

export interface StopOptions {
  tasks: readonly Task[]
  /** Continue even if the model never calls a tool. */
  all: boolean
  /** Advice for a model without tools. */
  noToolsHint: string
}

export class StopRules {
  readonly #options: StopOptions
  /** The tasks that show whether a model has tools, in whatever order they end. */
  readonly #first: ReadonlySet<Task>
  /** At least one answer came, right or wrong. */
  #isAnswered = false
  #hasCalled = false
  /** Those of the first tasks that got no call. */
  readonly #withoutCalls = new Set<Task>()
  #upstreamFailures = 0
  /** Why the remaining tasks do not run. */
  stopped: string | undefined
  /** Why no task could run. */
  couldNotRun: string | undefined

  constructor(options: StopOptions) {
    this.#options = options
    this.#first = new Set(options.tasks.filter(needsCalls).slice(0, enough))
  }

  /** Takes the next result; true stops the probe. */
  see(run: TaskRun): boolean {
    const { task, failure, calls, requests } = run
    const isUpstream = failure?.blame === 'upstream'
    this.#isAnswered ||= !isUpstream || requests > 1
    this.#hasCalled ||= calls > 0 || (failure?.blame === 'model' && failure.code !== undefined)
    this.#upstreamFailures = isUpstream ? this.#upstreamFailures + 1 : 0
    if (failure && this.#first.has(task) && (failure.blame === 'model' || refusesTools(failure)))
      this.#withoutCalls.add(task)
    this.#decide(failure)
    return this.stopped !== undefined || this.couldNotRun !== undefined
  }

  #decide(failure: Failure | undefined): void {
    const { all, noToolsHint } = this.#options
    if (failure === undefined) return
    if (!this.#hasCalled && this.#withoutCalls.size >= enough && !all) {
      // `noToolsHint` already says what to do.
      const words = refusesTools(failure) ? ` (${failure.came.replace(toolTextHint, '')})` : ''
      this.stopped = `this model does not call tools: the first ${enough} tasks that need one got no call${words}. ${noToolsHint}`
      return
    }
    if (failure.blame !== 'upstream' || (refusesTools(failure) && !all)) return
    const isFinal = failure.code !== undefined && finalCodes.has(failure.code)
    if (!this.#isAnswered && !isRefusal(failure)) this.couldNotRun = failure.came
    else if (isFinal) this.stopped = failure.came
    else if (this.#upstreamFailures >= enough) {
      const reason = `${enough} tasks in a row failed at the service: ${failure.came}`
      if (this.#isAnswered) this.stopped = reason
      else this.couldNotRun = reason
    }
  }
}

const isRefusal = ({ code }: Failure): boolean => code === 'invalid-request' || code === 'unsupported'

/** The service refuses tools for this model. */
const refusesTools = (failure: Failure): boolean =>
  failure.blame === 'upstream' && isRefusal(failure) && /tool|function/i.test(failure.came)
