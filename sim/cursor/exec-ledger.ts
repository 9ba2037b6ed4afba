// Every requested exec must be answered once, kept alive meanwhile, and closed once. A violation is a Refusal.

import type { ExecClientControlMessage, ExecClientMessage } from '../../proto/gen/agent/v1/exec_pb.ts'
import { findFault } from './check-result.ts'
import { Deferred } from './deferred.ts'
import { type ExecArgs, type ExecSpec, resultCaseOf, wireName } from './exec-kinds.ts'
import { Refusal } from './refusal.ts'
import type { RunRecord } from './run-record.ts'

export interface ExecOutcome {
  readonly args: ExecArgs
  readonly results: readonly ExecClientMessage[]
  readonly thrown: string | undefined
}

export interface Exec {
  readonly id: number
  readonly spec: ExecSpec
  readonly name: string
  /** Answered and closed. */
  readonly done: Promise<ExecOutcome>
  /** What `done` resolved to; undefined until then. */
  readonly outcome: ExecOutcome | undefined
}

interface OpenExec extends Exec {
  outcome: ExecOutcome | undefined
  readonly results: ExecClientMessage[]
  thrown: string | undefined
  answered: boolean
  closed: boolean
  isShellStarted: boolean
  lastSignAt: number
  finish(outcome: ExecOutcome): void
  abandon(reason: unknown): void
}

/** Its field number among the events of a shell stream; the known messages lack it. */
const BACKGROUNDED_EVENT = 7

export class ExecLedger {
  readonly #record: RunRecord
  readonly #onAnswered: (exec: Exec) => void
  readonly #execs = new Map<number, OpenExec>()

  constructor(record: RunRecord, onAnswered: (exec: Exec) => void) {
    this.#record = record
    this.#onAnswered = onAnswered
  }

  get open(): Exec[] {
    return [...this.#execs.values()].filter(({ closed }) => !closed)
  }

  /** The n-th exec of the run, from 1. */
  nth(number: number): Exec | undefined {
    return [...this.#execs.values()][number - 1]
  }

  get last(): Exec | undefined {
    return [...this.#execs.values()].at(-1)
  }

  add(id: number, spec: ExecSpec, now: number): Exec {
    const { promise: done, resolve: finish, reject: abandon } = new Deferred<ExecOutcome>()
    const name = 'args' in spec ? wireName(spec.args.case) : wireName(undefined, spec.field)
    const exec: OpenExec = {
      ...{ id, spec, name, done, outcome: undefined, results: [], thrown: undefined },
      ...{ answered: false, closed: false, isShellStarted: false, lastSignAt: now, finish, abandon },
    }
    this.#execs.set(id, exec)
    return exec
  }

  onResult(message: ExecClientMessage, now: number): void {
    const exec = this.#find(message.id, 'a result')
    const at = `the result of exec ${exec.id} (${exec.name})`
    if (exec.closed) throw new Refusal('invalid_argument', `${at} came after its stream_close`)
    if (exec.answered) throw new Refusal('invalid_argument', `${at} came twice`)
    this.#checkKind(exec, message, at)
    const args = argsOf(exec.spec)
    const fault = args.case === undefined ? undefined : findFault(args, message)
    if (fault !== undefined) throw new Refusal('invalid_argument', `${at} ${fault}`)
    exec.lastSignAt = now
    exec.results.push(message)
    this.#record.execResults.set(exec.id, exec.results)
    exec.answered = message.message.case !== 'shellStream' || this.#isLastEvent(exec, message, at)
    this.#keepContext(message)
    if (exec.answered) this.#onAnswered(exec)
  }

  onControl({ message }: ExecClientControlMessage, now: number): void {
    if (message.case === undefined) throw new Refusal('invalid_argument', 'an empty exec control message')
    const exec = this.#find(message.value.id, `a ${message.case}`)
    if (message.case === 'heartbeat') {
      exec.lastSignAt = now
      const { execHeartbeats } = this.#record
      execHeartbeats.set(exec.id, (execHeartbeats.get(exec.id) ?? 0) + 1)
    } else if (message.case === 'throw') {
      if (exec.answered || exec.closed) {
        throw new Refusal('invalid_argument', `exec ${exec.id} (${exec.name}) was thrown after its answer`)
      }
      exec.thrown = message.value.error
      exec.answered = true
      exec.lastSignAt = now
      this.#record.thrown.set(exec.id, message.value.error)
      this.#onAnswered(exec)
    } else {
      this.#close(exec)
    }
  }

  /** Throws for an exec without a sign of life for too long. */
  checkPatience(now: number, patienceMs: number): void {
    for (const exec of this.#execs.values()) {
      if (exec.closed || now - exec.lastSignAt < patienceMs) continue
      const silence = exec.answered
        ? 'was answered but not closed by stream_close'
        : 'was neither answered nor kept alive by heartbeats'
      throw new Refusal('internal', `exec ${exec.id} (${exec.name}) ${silence} for ${patienceMs} ms`)
    }
  }

  abandonAll(reason: unknown): void {
    for (const exec of this.#execs.values()) exec.abandon(reason)
  }

  #find(id: number, what: string): OpenExec {
    const exec = this.#execs.get(id)
    if (exec === undefined)
      throw new Refusal('invalid_argument', `${what} for exec ${id}, which nobody asked`)
    return exec
  }

  #close(exec: OpenExec): void {
    const at = `exec ${exec.id} (${exec.name})`
    if (exec.closed) throw new Refusal('invalid_argument', `${at} was closed twice`)
    if (!exec.answered) {
      throw new Refusal('invalid_argument', `${at} was closed with neither a result nor a throw`)
    }
    exec.closed = true
    this.#record.closedExecs.add(exec.id)
    exec.outcome = { args: argsOf(exec.spec), results: exec.results, thrown: exec.thrown }
    exec.finish(exec.outcome)
  }

  #checkKind(exec: OpenExec, message: ExecClientMessage, at: string): void {
    const args = argsOf(exec.spec)
    const given = message.message.case
    if (args.case === undefined) {
      if (given === undefined && (message.$unknown?.length ?? 0) > 0) return
      throw new Refusal(
        'invalid_argument',
        `${at} is ${given ?? 'empty'}; an unknown exec is answered by throw`,
      )
    }
    const wanted = resultCaseOf(args.case)
    if (given !== undefined && given !== wanted) {
      throw new Refusal('invalid_argument', `${at} is a ${given}, not a ${wanted}`)
    }
  }

  #isLastEvent(exec: OpenExec, { message }: ExecClientMessage, at: string): boolean {
    const event = message.case === 'shellStream' ? message.value.event : undefined
    const isBackgrounded = message.value?.$unknown?.some(({ no }) => no === BACKGROUNDED_EVENT) ?? false
    if (isBackgrounded) return true
    if (event?.case === 'start') {
      if (exec.isShellStarted) throw new Refusal('invalid_argument', `${at} has a second start event`)
      exec.isShellStarted = true
      return false
    }
    if (event?.case === 'rejected' || event?.case === 'permissionDenied') return true
    if (!exec.isShellStarted) throw new Refusal('invalid_argument', `${at} does not begin with a start event`)
    return event?.case === 'exit'
  }

  #keepContext({ message }: ExecClientMessage): void {
    if (message.case !== 'requestContextResult' || message.value.result.case !== 'success') return
    this.#record.context = message.value.result.value.requestContext
  }
}

function argsOf(spec: ExecSpec): ExecArgs {
  return 'args' in spec ? spec.args : { case: undefined }
}
