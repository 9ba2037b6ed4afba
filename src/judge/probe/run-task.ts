// One task from its first request to the judge: asks the model, answers its calls, looks at every answer on the wire.

import { isObject, parseJson } from '../../base/json.ts'
import { ask, type Line, type Reply } from './ask.ts'
import type { Answer, Asked, RawCall } from './doors/door.ts'
import { blameFor, type Failure, type FailureLog } from './failure.ts'
import { schemaProblem } from './schema-check.ts'
import type { Spending } from './spending.ts'
import { type MadeCall, type Message, mostTurns, type Task, type ToolCall, type ToolResult } from './task.ts'

/** In front of every task. */
export const system =
  'You work for a program that runs your tool calls and gives you their results. Call a tool where the task needs it, and only then. When you have what you need, answer in one or two sentences.'

export interface TaskRun {
  task: Task
  /** From 1. */
  attempt: number
  /** stopped: it was called off before it could be judged. */
  outcome: 'passed' | 'failed' | 'stopped'
  failure?: Failure
  requests: number
  calls: number
  inputTokens: number
  outputTokens: number
  /** One for each answer that showed something. */
  firstMs: number[]
  tookMs: number
  /** What the gateway said it has changed. */
  notes: string[]
  /** Of its requests, in order. */
  turnIds: string[]
}

export interface TaskOptions extends Line {
  model: string
  stream: boolean
  /** Names of the configured backends. */
  backends: readonly string[]
  failures: FailureLog
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
  for (let turn = 0; turn < mostTurns(task); turn++) {
    const asked = request(task, messages, turn, options)
    const reserved = options.spending.reserve(options.door.body(asked))
    if (reserved === undefined) return 'stopped'
    const reply = await ask(asked, `probe-${task.id}-${run.attempt}`, options)
    options.spending.settle(reserved, reply.answer.usage)
    if (options.signal.aborted) return 'stopped'
    note(run, reply)
    const problem = problemOf(reply, options)
    if (problem !== undefined) return problem
    const calls = reply.answer.calls.map(toCall)
    run.calls += calls.length
    const misuse = misuseOf(task, calls)
    if (misuse !== undefined) return misuse
    const { text, echo } = reply.answer
    if (calls.length === 0) return judge(task, { calls: made, turns: turn + 1, text })
    messages.push(
      { role: 'assistant', text, calls, echo },
      { role: 'tool', results: answerCalls(task, calls, made, turn) },
    )
  }
  const last = made.at(-1)
  return {
    blame: 'model',
    expected: `an end after at most ${mostTurns(task)} answers`,
    came: `${made.length} calls and no end, the last of them ${last?.name}(${excerpt(JSON.stringify(last?.input))})`,
  }
}

function request(
  task: Task,
  messages: readonly Message[],
  turn: number,
  { model, stream }: TaskOptions,
): Asked {
  return {
    ...{ model, system, messages, tools: task.tools, stream },
    toolChoice: turn === 0 ? task.toolChoice : undefined,
    oneCallAtATime: task.oneCallAtATime,
  }
}

function note(run: TaskRun, { answer, turnId, notes, firstMs }: Reply): void {
  run.requests++
  if (answer.usage) {
    run.inputTokens += answer.usage.inputTokens
    run.outputTokens += answer.usage.outputTokens
  }
  if (firstMs !== undefined) run.firstMs.push(firstMs)
  if (turnId !== undefined) run.turnIds.push(turnId)
  if (notes !== '' && !run.notes.includes(notes)) run.notes.push(notes)
}

function problemOf({ answer, turnId, isLate }: Reply, options: TaskOptions): Failure | undefined {
  const { failures, backends, timeoutMs } = options
  if (isLate) {
    const came = `nothing, or not all of it, within ${timeoutMs / 1000} s`
    return { blame: 'upstream', expected: 'an answer', came, code: 'timeout' }
  }
  if (answer.error !== undefined) {
    const code = failures.take(turnId)
    const blame = blameFor(code, answer.error, backends)
    return { blame, expected: 'an answer', came: answer.error, ...(code && { code }) }
  }
  const wire = wireProblem(answer)
  if (wire !== undefined)
    return { blame: 'gateway', expected: 'an answer in the form of its protocol', came: wire }
  if (answer.finish === 'length')
    return { blame: 'model', expected: 'a whole answer', came: 'it was cut off at its length limit' }
  if (answer.finish === 'filter')
    return { blame: 'model', expected: 'an answer', came: 'it was held back by a content filter' }
  return undefined
}

/** What the gateway promises for every answer, whatever the model does. */
export function wireProblem({ problems, finish, calls }: Answer): string | undefined {
  const [first] = problems
  if (first !== undefined) return first
  if (finish === undefined) return 'it ends without saying why'
  if (finish === 'calls' && calls.length === 0) return 'it ends for tool calls, and there is none'
  if (finish === 'stop' && calls.length > 0) return 'it ends as if there were no tool calls'
  if (calls.some(({ id }) => id === '')) return 'a tool call without an id'
  if (calls.some(({ name }) => name === '')) return 'a tool call without a name'
  if (new Set(calls.map(({ id }) => id)).size < calls.length) return 'two tool calls with the same id'
  const broken = finish === 'length' ? undefined : calls.find((call) => !isObject(parseJson(call.arguments)))
  return broken && `the arguments of ${broken.name} are no JSON object: ${excerpt(broken.arguments)}`
}

const toCall = ({ id, name, arguments: input }: RawCall): ToolCall => {
  const value = parseJson(input)
  return { id, name, input: isObject(value) ? value : {} }
}

/** An agent could not run such a call: the task is over, and nothing more is spent on it. */
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
