// Runs one task: sends requests, answers the model's calls, checks every answer on the wire, and judges the outcome.

import type { Answer, Call, Violation } from '../clients/answer.ts'
import { isShape, parsed } from '../clients/json.ts'
import { blameFor, type Failure, type FailureSource } from './failure.ts'
import { requestOf } from './request.ts'
import { schemaProblem } from './schema-check.ts'
import { type Connection, type Exchange, send } from './send.ts'
import type { Spending } from './spending.ts'
import { type MadeCall, type Message, maxTurns, type Task, type ToolCall, type ToolResult } from './task.ts'

export interface TaskRun {
  task: Task
  /** From 1. */
  attempt: number
  /** stopped: canceled before it could be judged. */
  outcome: 'passed' | 'failed' | 'stopped'
  failure?: Failure
  requests: number
  calls: number
  inputTokens: number
  outputTokens: number
  /** One entry for each answer with a visible event. */
  firstMs: number[]
  tookMs: number
  /** The gateway's notes on what it changed. */
  notes: string[]
  /** Of its requests, in order. */
  turnIds: string[]
}

export interface TaskOptions extends Connection {
  model: string
  stream: boolean
  /** Names of the configured backends. */
  backends: readonly string[]
  failures: FailureSource
  spending: Spending
}

export async function runTask(task: Task, attempt: number, options: TaskOptions): Promise<TaskRun> {
  const run: TaskRun = {
    ...{ task, attempt, outcome: 'stopped', requests: 0, calls: 0, inputTokens: 0, outputTokens: 0 },
    ...{ firstMs: [], tookMs: 0, notes: [], turnIds: [] },
  }
  const startedAt = performance.now()
  const failure = await converse(run, options)
  run.tookMs = performance.now() - startedAt
  if (failure === 'stopped') return run
  run.outcome = failure === undefined ? 'passed' : 'failed'
  if (failure !== undefined) run.failure = failure
  return run
}

async function converse(run: TaskRun, options: TaskOptions): Promise<Failure | 'stopped' | undefined> {
  const { task } = run
  const messages: Message[] = [...task.messages]
  const made: MadeCall[] = []
  for (let turn = 0; turn < maxTurns(task); turn++) {
    const choice = turn === 0 ? task.toolChoice : undefined
    const request = requestOf(task, messages, { ...options, choice })
    const reserved = options.spending.reserve(options.client.body(request))
    if (reserved === undefined) return 'stopped'
    const exchange = await send(request, `probe-${task.id}-${run.attempt}`, options)
    options.spending.settle(reserved, usageOf(exchange.answer))
    if (options.signal.aborted) return 'stopped'
    note(run, exchange)
    const problem = problemOf(exchange, options)
    if (problem !== undefined) return problem
    const calls = exchange.answer.calls.map(toCall)
    run.calls += calls.length
    const misuse = misuseOf(task, calls)
    if (misuse !== undefined) return misuse
    const { text, echo } = exchange.answer
    if (calls.length === 0) return judge(task, { calls: made, turns: turn + 1, text })
    messages.push(
      { role: 'assistant', text, calls, echo },
      { role: 'tool', results: answerCalls(task, calls, made, turn) },
    )
  }
  const last = made.at(-1)
  return {
    blame: 'model',
    expected: `an end after at most ${maxTurns(task)} answers`,
    came: `${made.length} calls and no end, the last of them ${last?.name}(${excerpt(JSON.stringify(last?.input))})`,
  }
}

/** Undefined unless both counts are numbers. */
const usageOf = ({ usage }: Answer) =>
  usage && Number.isFinite(usage.input + usage.output) ? usage : undefined

function note(run: TaskRun, { answer, turnId, notes, firstMs }: Exchange): void {
  run.requests++
  const usage = usageOf(answer)
  run.inputTokens += usage?.input ?? 0
  run.outputTokens += usage?.output ?? 0
  if (firstMs !== undefined) run.firstMs.push(firstMs)
  if (turnId !== undefined) run.turnIds.push(turnId)
  if (notes !== '' && !run.notes.includes(notes)) run.notes.push(notes)
}

function problemOf({ answer, error, turnId, isLate }: Exchange, options: TaskOptions): Failure | undefined {
  const { failures, backends, timeoutMs } = options
  if (isLate) {
    const came = `nothing, or not all of it, within ${timeoutMs / 1000} s`
    return { blame: 'upstream', expected: 'an answer', came, code: 'timeout' }
  }
  if (error !== undefined) {
    const { code, message: came = error, refusedBy } = failures.take(turnId, answer) ?? {}
    const found = blameFor(code, came, backends)
    return {
      blame: found === 'gateway' ? (refusedBy ?? found) : found,
      expected: 'an answer',
      came,
      ...(code && { code }),
    }
  }
  const wire = wireProblem(answer)
  if (wire !== undefined)
    return { blame: 'gateway', expected: 'an answer in the form of its protocol', came: wire }
  if (answer.finish === 'length')
    return { blame: 'model', expected: 'a whole answer', came: 'it was cut off at its length limit' }
  if (answer.finish === 'content_filter')
    return { blame: 'model', expected: 'an answer', came: 'it was held back by a content filter' }
  return undefined
}

/** The gateway promises a valid answer whatever the model does. */
function wireProblem(answer: Answer): string | undefined {
  const { violations, finish, calls } = answer
  // An answer that stops at its length limit may end inside a call.
  const counts = ({ rule }: Violation) => rule !== 'call' || finish !== 'length'
  const first = violations.find(counts)
  if (first !== undefined) return first.message
  if (finish === 'tool_calls' && calls.length === 0) return 'it ends for tool calls, and there is none'
  if (finish === 'stop' && calls.length > 0) return 'it ends as if there were no tool calls'
  if (new Set(calls.map(({ id }) => id)).size < calls.length) return 'two tool calls with the same id'
  const broken = finish === 'length' ? undefined : calls.find((call) => !isShape(parsed(call.arguments)))
  return broken && `arguments of ${broken.name} are not a JSON object: ${excerpt(broken.arguments)}`
}

const toCall = ({ id, name, arguments: text }: Call): ToolCall => {
  const input = parsed(text)
  return { id, name, input: isShape(input) ? input : {} }
}

/** A call that no agent could run. It ends the task, to save tokens. */
function misuseOf({ tools }: Task, calls: readonly ToolCall[]): Failure | undefined {
  for (const { name, input } of calls) {
    const tool = tools.find((entry) => entry.name === name)
    if (tool === undefined)
      return {
        blame: 'model',
        expected: 'a call of a tool that was offered',
        came: `a call of ${JSON.stringify(name)}`,
      }
    const problem = schemaProblem(input, tool.schema)
    if (problem !== undefined)
      return { blame: 'model', expected: `arguments of ${name} that keep to its schema`, came: problem }
  }
  return undefined
}

function answerCalls(task: Task, calls: readonly ToolCall[], made: MadeCall[], turn: number): ToolResult[] {
  return calls.map(({ id, name, input }) => {
    const reply = task.reply({ name, input }, [...made])
    made.push({ name, input, turn, reply })
    return typeof reply === 'string'
      ? { callId: id, text: reply }
      : { callId: id, text: `Error: ${reply.error}`, isError: true }
  })
}

function judge(task: Task, seen: Parameters<Task['judge'][number]>[0]): Failure | undefined {
  for (const check of task.judge) {
    const fault = check(seen)
    if (fault !== undefined) return { blame: 'model', ...fault }
  }
  return undefined
}

const excerpt = (text = ''): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text)
