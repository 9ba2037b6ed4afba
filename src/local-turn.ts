// A turn whose tools the gateway runs itself: the model is asked, what it wants done is done here, and it is asked again
// with the results, until it has nothing left to do. To the client that is one answer.

import { TurnCollector } from './core/collect.ts'
import { GatewayError } from './core/errors.ts'
import type { TurnEvent } from './core/events.ts'
import { JoinedAnswer } from './core/joined-answer.ts'
import type { AssistantPart, ToolCallPart, ToolResult, TurnRequest } from './core/request.ts'
import { telling } from './core/side-channel.ts'
import type { Turn } from './core/turn.ts'
import type { LocalExecutor, RunContext } from './local-tools/executor.ts'
import type { ClientResult } from './protocols/client-tools/job.ts'
import { announce, conclude } from './protocols/local-tools/progress.ts'
import { ShownOutput } from './protocols/local-tools/shown-output.ts'

/** The client has no tools of its own, in this request or before: then the gateway's are offered. */
function wantsLocalTools({ tools, toolChoice, messages, origin }: TurnRequest): boolean {
  const given = origin.body.tools
  const hasTools = tools.length > 0 || (Array.isArray(given) && given.length > 0)
  // A follow-up may leave its tools out: the calls show that the client has some.
  const hadTools = messages.some(
    (message) =>
      message.role === 'tool' ||
      (message.role === 'assistant' && message.content.some(({ type }) => type === 'tool-call')),
  )
  return !hasTools && !hadTools && toolChoice?.type !== 'none'
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
  return { ...rest, tools: [...tools], workspace: await executor.root(), origin }
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
}

export async function* localTurn(options: LocalTurnOptions): AsyncGenerator<TurnEvent[]> {
  const { executor, context } = options
  const { maxRuns, progress } = executor.settings
  const answer = new JoinedAnswer(progress)
  let { request, first: turn } = options
  for (let runs = 0; ; ) {
    const leg = new TurnCollector()
    for (let batch = await turn.next(); batch !== undefined; batch = await turn.next()) {
      leg.push(batch)
      yield answer.show(batch)
    }
    const calls = callsOf(leg)
    if (leg.error) return yield answer.fail(leg.error)
    if (calls.length === 0) return yield answer.end(leg.turn)
    let isWaitedFor = true
    try {
      // It was told, and goes on all the same.
      if (runs > maxRuns) return yield answer.stop(`(Stopped after ${maxRuns} tool runs.)`, leg.turn)
      const results: ToolResult[] = []
      for (const call of calls) {
        const result = ++runs > maxRuns ? overLimit(maxRuns) : yield* doCall(call, options, answer)
        if (context.signal.aborted) throw GatewayError.ofAbort(context.signal)
        results.push({ callId: call.callId, ...result })
      }
      answer.next(leg.turn)
      request = followUp(request, leg, results)
      turn = await options.ask(request)
      isWaitedFor = false
    } catch (error) {
      return yield answer.fail(GatewayError.from(error))
    } finally {
      if (isWaitedFor) for (const { callId } of calls) options.abandon(callId)
    }
  }
}

async function* doCall(
  call: ToolCallPart,
  { executor, context, onOutput }: LocalTurnOptions,
  answer: JoinedAnswer,
): AsyncGenerator<TurnEvent[], Omit<ToolResult, 'callId'>> {
  const work = telling(async (tell) => {
    const output = new ShownOutput(tell)
    const run = await executor.run(call, {
      ...context,
      onBegin: (job) => tell(`${announce(job)}\n`),
      onOutput: (text, stream) => {
        output.push(text)
        onOutput(call.callId, stream, text)
      },
    })
    output.end()
    tell(`→ ${conclude(run.outcome)}\n`)
    return run.result
  })
  for (;;) {
    const { done, value } = await work.next()
    if (done) return toResult(value)
    yield answer.progress(value)
  }
}

const toResult = ({ text, isError }: ClientResult): Omit<ToolResult, 'callId'> => ({
  content: [{ type: 'text', text }],
  ...(isError ? { isError } : {}),
})

const overLimit = (maxRuns: number) =>
  toResult({
    text: `Refused: the limit of ${maxRuns} tool runs for one answer is reached. Say what was done and what is left to do.`,
    isError: true,
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
