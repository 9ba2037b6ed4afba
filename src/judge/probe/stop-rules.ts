// When it makes no sense to go on: what is asked next would fail in the same way, and cost the same.

import type { ErrorCode } from '../../core/errors.ts'
import { toolTextHint } from '../../protocols/openai-chat/errors.ts'
import type { Failure } from './failure.ts'
import type { TaskRun } from './run-task.ts'
import { needsCalls, type Task } from './task.ts'

/** No other request will fare better. */
const finalCodes = new Set<ErrorCode>([
  'unauthenticated',
  'forbidden',
  'not-found',
  'quota-exhausted',
  'upstream-challenge',
])

/** So many in a row are no accident. */
const enough = 3

export interface StopOptions {
  tasks: readonly Task[]
  /** Goes on although no tool is ever called. */
  all: boolean
  /** What to try where a model has no tools. */
  noToolsHint: string
}

export class StopRules {
  readonly #options: StopOptions
  /** By these it is seen whether a model has tools, in whatever order they end. */
  readonly #first: ReadonlySet<Task>
  /** Something was answered, whatever it was worth. */
  #isAnswered = false
  #hasCalled = false
  /** Of the first ones. */
  readonly #withoutCalls = new Set<Task>()
  #upstreamFailures = 0
  /** Why the rest is not run. */
  stopped: string | undefined
  /** Why nothing could be run at all. */
  couldNotRun: string | undefined

  constructor(options: StopOptions) {
    this.#options = options
    this.#first = new Set(options.tasks.filter(needsCalls).slice(0, enough))
  }

  /** True: that is enough. */
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
      // What to do stands behind it already.
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

/** A service that has no tools for this model says so. */
const refusesTools = (failure: Failure): boolean =>
  failure.blame === 'upstream' && isRefusal(failure) && /tool|function/i.test(failure.came)
