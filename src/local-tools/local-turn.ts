// A turn whose tools the gateway runs itself: the model is asked, what it wants done is done here, and it is asked again
// with the results, until it has nothing left to do. To the client that is one answer.

import { isObject } from '../base/json.ts'
import { withProgress } from '../base/with-progress.ts'
import { TurnCollector } from '../core/collect.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnEvent } from '../core/events.ts'
import type { AssistantPart, Message, ToolCallPart, ToolResult, TurnRequest } from '../core/request.ts'
import type { Turn } from '../core/turn.ts'
import type { ToolRun } from '../observe/tracing.ts'
import type { ClientResult } from '../protocols/client-tools/job.ts'
import { announce, conclude } from '../protocols/local-tools/progress.ts'
import { ShownOutput } from '../protocols/local-tools/shown-output.ts'
import type { LocalExecutor, LocalSettings, RunContext } from './executor.ts'
import { JoinedAnswer } from './joined-answer.ts'

/** The client has no tools of its own, in this request or before, and does not say that there are to be none. */
function wantsLocalTools({ tools, toolChoice, messages, origin: { body } }: TurnRequest): boolean {
  // What was left out of the list, such as tools of the service, was in it all the same.
  const given = Array.isArray(body.tools) ? body.tools.length : 0
  if (tools.length > 0 || given > 0 || toolChoice?.type === 'none') return false
  // A follow-up may leave its tools out: the calls show that the client has some.
  const hadTools = messages.some(
    (message) =>
      message.role === 'tool' ||
      (message.role === 'assistant' && message.content.some(({ type }) => type === 'tool-call')),
  )
  return !hadTools && ![body.messages, body.input].some((list) => Array.isArray(list) && list.some(isOfTools))
}

/** As it came, in any dialect: of a result without its call, or a tool of the service, the messages do not tell. */
function isOfTools(element: unknown): boolean {
  if (!isObject(element)) return false
  const { role, type, tool_calls: calls, function_call: call, content } = element
  return (
    role === 'tool' ||
    role === 'function' ||
    /tool|call/.test(String(type)) ||
    isObject(call) ||
    (Array.isArray(calls) && calls.length > 0) ||
    (Array.isArray(content) && content.some(isOfTools))
  )
}

/** The request with the gateway's tools in it; undefined where it is to have none. */
export async function offerLocalTools(
  request: TurnRequest,
  executor: LocalExecutor,
): Promise<TurnRequest | undefined> {
  if (!wantsLocalTools(request)) return undefined
  const tools = await executor.tools()
  if (tools.length === 0) return undefined
  const { toolChoice: _choice, ...rest } = request
  const origin = { ...request.origin, faithful: false }
  const messages = request.messages.flatMap(withoutProgress)
  return { ...rest, messages, tools: [...tools], workspace: await executor.root(), origin }
}

/** What was done for an earlier answer was shown as reasoning: no model has thought it, and strict services refuse it. */
function withoutProgress(message: Message): Message[] {
  if (message.role !== 'assistant') return [message]
  const content = message.content.filter(
    (part) => part.type !== 'reasoning' || part.signature !== undefined || part.redacted !== undefined,
  )
  if (content.length === message.content.length) return [message]
  return content.length === 0 ? [] : [{ role: 'assistant', content }]
}

export interface LocalTurnOptions {
  /** With the local tools in it. */
  request: TurnRequest
  executor: LocalExecutor
  context: Omit<RunContext, 'onBegin' | 'onOutput'>
  first: Turn
  /** The next request of the same turn, to the same backend. */
  ask(request: TurnRequest): Promise<Turn>
  /** What a command puts out while it runs. */
  onOutput(callId: string, stream: 'stdout' | 'stderr', text: string): void
  /** Nobody will bring the results of this call. */
  abandon(callId: string): void
  onRan?(run: ToolRun): void
}

export async function* localTurn(options: LocalTurnOptions): AsyncGenerator<TurnEvent[]> {
  const { executor, context } = options
  let { request, first: turn } = options
  const answer = new JoinedAnswer({
    progressAs: executor.settings.progress,
    onlyLastText: request.responseFormat !== undefined,
  })
  const done: Done = { calls: 0, runs: 0, characters: 0, limit: undefined }
  const fail = (error: unknown) => answer.fail(afterRuns(GatewayError.from(error), done))
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
      // It was told, and goes on all the same.
      if (done.limit !== undefined) return yield answer.stop(`(Stopped after ${done.limit}.)`, leg.turn)
      const results: ToolResult[] = []
      for (const call of calls) {
        const limit = limitReached(done, executor.settings)
        const result = limit ? refusal(limit) : yield* doCall(call, { options, answer, done })
        if (context.signal.aborted) throw GatewayError.ofAbort(context.signal)
        done.calls++
        done.characters += result.text.length
        done.limit = limit
        results.push(toResult(call, result))
      }
      done.characters += lengthOf(leg)
      answer.next(leg.turn)
      request = followUp(request, leg, results)
      turn = await options.ask(request)
      isWaitedFor = false
    } catch (error) {
      return yield fail(error)
    } finally {
      if (isWaitedFor) for (const { callId } of calls) options.abandon(callId)
    }
  }
}

interface Done {
  calls: number
  /** Those of which something could come. */
  runs: number
  /** All of it goes to the model again with every further part. */
  characters: number
  /** What the model has been told that it has reached. */
  limit: string | undefined
}

/** Of one part, in characters; the longest call that readers take fits in. A stream without an end must not fill the memory. */
const longestPart = 16 * 1024 * 1024

const tooLong = () =>
  new GatewayError('upstream-protocol', `A part of the answer was longer than ${longestPart} characters.`)

const lengthOf = ({ turn: { parts } }: TurnCollector) =>
  parts.reduce((sum, part) => sum + (part.type === 'tool-call' ? part.input : part.text).length, 0)

/** More than any model takes, and room for some results of full size where those are set larger. */
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

/** Whoever would send the request again, a person or an SDK, should know that it is not the same again. */
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
    cause: error,
  })
}

interface CallSetting {
  options: LocalTurnOptions
  answer: JoinedAnswer
  done: Done
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

/** The conversation with what the model has just said and asked for, and what came of it. */
function followUp(request: TurnRequest, { turn }: TurnCollector, results: ToolResult[]): TurnRequest {
  const content = turn.parts.map((part): AssistantPart => {
    if (part.type !== 'text') return part
    return { type: 'text', text: part.text }
  })
  return {
    ...request,
    messages: [...request.messages, { role: 'assistant', content }, { role: 'tool', results }],
  }
}
