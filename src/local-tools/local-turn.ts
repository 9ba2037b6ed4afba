// A turn with the gateway's own tools: the gateway runs the model's calls and asks again with the results, until there are no
// more calls. The client sees one answer.

import { isObject, textOf } from '../base/json.ts'
import { withProgress } from '../base/with-progress.ts'
import { TurnCollector } from '../core/collect.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnEvent } from '../core/events.ts'
import { followUp } from '../core/follow-up.ts'
import { JoinedAnswer } from '../core/joined-answer.ts'
import type { Message, ToolCallPart, ToolResult, TurnRequest } from '../core/request.ts'
import type { Turn } from '../core/turn.ts'
import type { ToolRun } from '../observe/tracing.ts'
import type { ClientResult } from '../protocols/client-tools/job.ts'
import { announce, conclude } from '../protocols/local-tools/progress.ts'
import { ShownOutput } from '../protocols/local-tools/shown-output.ts'
import type { LocalSettings, RunContext } from './executor.ts'
import type { LocalTools } from './tools.ts'

/** The client has no tools, in this request or earlier, and does not forbid tools. */
function wantsLocalTools({ tools, toolChoice, messages, origin: { body } }: TurnRequest): boolean {
  // Tools that decoding left out, such as tools of the service, count too.
  const given = Array.isArray(body.tools) ? body.tools.length : 0
  if (tools.length > 0 || given > 0 || toolChoice?.type === 'none') return false
  // A follow-up request may leave out the tools: earlier calls show that the client has some.
  const hadTools = messages.some(
    (message) =>
      message.role === 'tool' ||
      (message.role === 'assistant' && message.content.some(({ type }) => type === 'tool-call')),
  )
  const lists = [body.messages, body.input, body.contents]
  return !hadTools && !lists.some((list) => Array.isArray(list) && list.some(isOfTools))
}

/** Reads the original body of any dialect: decoded messages lack results without a call, and tools of the service. */
function isOfTools(element: unknown): boolean {
  if (!isObject(element)) return false
  const { role, type, tool_calls: calls, function_call: call, content, parts } = element
  const { functionCall, functionResponse, function_response: response } = element
  return (
    role === 'tool' ||
    role === 'function' ||
    /tool|call/.test(textOf(type)) ||
    [call, functionCall, functionResponse, response].some(isObject) ||
    (Array.isArray(calls) && calls.length > 0) ||
    [content, parts].some((list) => Array.isArray(list) && list.some(isOfTools))
  )
}

/** The request with the gateway's tools; undefined if the request gets none. */
export async function offerLocalTools(
  request: TurnRequest,
  executor: LocalTools,
): Promise<TurnRequest | undefined> {
  if (!wantsLocalTools(request)) return undefined
  const tools = await executor.tools()
  if (tools.length === 0) return undefined
  const { toolChoice: _choice, ...rest } = request
  const origin = { ...request.origin, faithful: false }
  const messages = request.messages.flatMap(withoutProgress)
  return { ...rest, messages, tools: [...tools], workspace: await executor.root(), origin }
}

/** Progress of earlier answers was shown as reasoning. No model wrote that text, and strict services refuse it. */
function withoutProgress(message: Message): Message[] {
  if (message.role !== 'assistant') return [message]
  const content = message.content.filter(
    (part) => part.type !== 'reasoning' || part.signature !== undefined || part.redacted !== undefined,
  )
  if (content.length === message.content.length) return [message]
  return content.length === 0 ? [] : [{ role: 'assistant', content }]
}

export interface LocalTurnOptions {
  /** The request with the local tools. */
  request: TurnRequest
  executor: LocalTools
  context: Omit<RunContext, 'onBegin' | 'onOutput'>
  first: Turn
  /** The next request of the same turn, to the same backend. */
  ask(request: TurnRequest): Promise<Turn>
  /** Output of a running command. */
  onOutput(callId: string, stream: 'stdout' | 'stderr', text: string): void
  /** The results of this call will never come. */
  abandon(callId: string): void
  onRan?(run: ToolRun): void
}

export async function* localTurn(options: LocalTurnOptions): AsyncGenerator<TurnEvent[]> {
  const { executor } = options
  let { request, first: turn } = options
  const answer = new JoinedAnswer({
    progressAs: executor.settings.progress,
    onlyLastText: request.responseFormat !== undefined,
  })
  const done: Done = { calls: 0, runs: 0, characters: 0, limit: undefined }
  const fail = (error: unknown) => answer.fail(afterRuns(GatewayError.from(error), done))
  try {
    for (;;) {
      const leg = new TurnCollector({ maxLength: longestPart })
      for (let batch = await turn.next(); batch !== undefined; batch = await turn.next()) {
        leg.push(batch)
        yield answer.show(batch)
      }
      if (leg.tooLong) return yield fail(tooLong())
      if (leg.error) return yield fail(leg.error)
      const calls = callsOf(leg)
      if (calls.length === 0) return yield answer.end(leg.turn)
      let isWaitedFor = true
      try {
        // The model knows the limit from a refusal, and still calls tools.
        if (done.limit !== undefined) return yield answer.stop(`(Stopped after ${done.limit}.)`, leg.turn)
        const results = yield* doCalls(calls, { options, answer, done })
        done.characters += lengthOf(leg)
        answer.next(leg.turn)
        request = followUp(request, leg.turn, results)
        turn = await options.ask(request)
        isWaitedFor = false
      } catch (error) {
        return yield fail(error)
      } finally {
        if (isWaitedFor) for (const { callId } of calls) options.abandon(callId)
      }
    }
  } finally {
    // The reader of the events may stop early, for example after an answer that takes too much memory.
    if (!turn.over) turn.stop()
  }
}

interface Done {
  calls: number
  /** Calls that were actually run. */
  runs: number
  /** Characters of all answer parts and results: the model gets them again with every further request. */
  characters: number
  /** The limit that the last refused call reached. The model knows it from the refusal. */
  limit: string | undefined
}

/** Characters of one part; the longest call that readers accept fits. An endless stream must not fill the memory. */
const longestPart = 16 * 1024 * 1024

const tooLong = () =>
  new GatewayError('upstream-protocol', `A part of the answer was longer than ${longestPart} characters.`)

const lengthOf = ({ turn: { parts } }: TurnCollector) =>
  parts.reduce((sum, part) => sum + (part.type === 'tool-call' ? part.input : part.text).length, 0)

/** More than any model accepts. A large `outputBytes` raises the limit to `mostFullResults` results of full size. */
const mostCharacters = 8 * 1024 * 1024
const mostFullResults = 8

function limitReached(
  { calls, characters }: Done,
  { maxRuns, outputBytes }: Pick<LocalSettings, 'maxRuns' | 'outputBytes'>,
): string | undefined {
  const most = Math.max(mostCharacters, mostFullResults * outputBytes)
  if (characters > most) return `${most} characters of calls and results`
  return calls >= maxRuns ? `${maxRuns} tool runs` : undefined
}

const refusal = (limit: string): ClientResult => ({
  text: `Refused: the limit of ${limit} for one answer is reached. Say what was done and what is left to do.`,
  isError: true,
})

/** The user or the SDK must know before a retry that tools have run. */
function afterRuns(error: GatewayError, { runs }: Done): GatewayError {
  if (runs === 0) return error
  const told =
    runs === 1
      ? 'a local tool was run: the same request would run it'
      : `${runs} local tools were run: the same request would run them`
  const remedy =
    error.code === 'context-overflow'
      ? ' What the tools gave may be too long for this model: lower "exec.outputBytes".'
      : ''
  return new GatewayError(error.code, `${error.message} Before that, ${told} again.${remedy}`, {
    ...error,
    retryable: false,
    retryAfterMs: undefined,
    retryHeaders: undefined,
    said: undefined,
    cause: error,
  })
}

interface CallSetting {
  options: LocalTurnOptions
  answer: JoinedAnswer
  done: Done
}

async function* doCalls(
  calls: readonly ToolCallPart[],
  setting: CallSetting,
): AsyncGenerator<TurnEvent[], ToolResult[]> {
  const { options, done } = setting
  const { executor, context } = options
  const results: ToolResult[] = []
  for (const call of calls) {
    const limit = limitReached(done, executor.settings)
    const result = limit ? refusal(limit) : yield* doCall(call, setting)
    if (context.signal.aborted) throw GatewayError.ofAbort(context.signal)
    done.calls++
    done.characters += result.text.length
    done.limit = limit
    results.push(toResult(call, result))
  }
  return results
}

async function* doCall(
  call: ToolCallPart,
  { options: { executor, context, onOutput, onRan }, answer, done: count }: CallSetting,
): AsyncGenerator<TurnEvent[], ClientResult> {
  const startedAt = performance.now()
  const work = withProgress(async (tell) => {
    const output = new ShownOutput(tell)
    const run = await executor.run(call, {
      ...context,
      onBegin: (job) => {
        count.runs++
        tell(`${announce(job)}\n`)
      },
      onOutput: (text, stream) => {
        output.push(text)
        onOutput(call.callId, stream, text)
      },
    })
    output.end()
    tell(`→ ${conclude(run.outcome)}\n`)
    onRan?.({ callId: call.callId, name: call.name, startedAt, isError: run.result.isError === true })
    return run.result
  })
  for (;;) {
    const { done, value } = await work.next()
    if (done) return value
    yield answer.progress(value)
  }
}

const toResult = ({ callId }: ToolCallPart, { text, isError }: ClientResult): ToolResult => ({
  callId,
  content: [{ type: 'text', text }],
  ...(isError ? { isError } : {}),
})

const callsOf = ({ turn }: TurnCollector): ToolCallPart[] =>
  turn.reason === 'tool-calls' ? turn.parts.filter((part) => part.type === 'tool-call') : []
