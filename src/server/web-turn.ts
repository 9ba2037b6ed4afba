// A turn with web search and fetch by the gateway: it runs the model's calls of them and asks again with the results, until the model
// calls other tools or is finished. The client sees one answer, with the blocks that its own service would send.
//
// If the model searches and calls other tools at once, the client gets those calls and the answer ends: what was found comes back with
// the history.

import { nativeSignal } from '../base/signal.ts'
import { type CollectedTurn, TurnCollector } from '../core/collect.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnEvent, WebEvent } from '../core/events.ts'
import { followUp } from '../core/follow-up.ts'
import { JoinedAnswer } from '../core/joined-answer.ts'
import { recalled } from '../core/recall.ts'
import type { Message, ToolResult, TurnRequest } from '../core/request.ts'
import type { Turn } from '../core/turn.ts'
import type { WebTool, WebUse } from '../core/web.ts'
import { namesAddress } from '../protocols/web-tools/addresses.ts'
import { inputOf, resultText } from '../protocols/web-tools/function-tools.ts'
import type { Ran } from '../web/web-runner.ts'
import type { Serving } from './serving.ts'
import type { WebPlan } from './web-offer.ts'

interface WebTurnOptions {
  plan: WebPlan
  serving: Serving
  first: Turn
  /** The next request of the same turn, to the same backend. */
  ask(request: TurnRequest): Promise<Turn>
  /** The results of this call will never come. */
  abandon(callId: string): void
}

type CallEnd = Extract<TurnEvent, { type: 'tool-call-end' }>

/** Uses of one tool in one answer, if the client does not say: as many as a careful search takes. */
const usualUses = 8
const mostUses = 20
/** A model that goes on after its limit is stopped. */
const mostLegs = 24
/** Characters of one part, as for local tools. */
const longestPart = 16 * 1024 * 1024

export async function* webTurn(options: WebTurnOptions): AsyncGenerator<TurnEvent[]> {
  const { plan, serving } = options
  const uses = new WebUses(plan, serving)
  let { request } = plan
  let turn = options.first
  let calls: CallEnd[] = []
  const answer = new JoinedAnswer({
    progressAs: 'off',
    onlyLastText: request.responseFormat !== undefined,
    tellsLastInput: true,
    showsCall: ({ name }) => !plan.tools.has(name),
    onHiddenCall: (call) => {
      calls.push(call)
      return []
    },
  })
  try {
    for (let legs = 1; ; legs++) {
      const leg = new TurnCollector({ maxLength: longestPart })
      for (let batch = await turn.next(); batch !== undefined; batch = await turn.next()) {
        leg.push(batch)
        yield answer.show(batch)
      }
      if (leg.error) return yield answer.fail(leg.error)
      if (leg.tooLong) return yield answer.fail(tooLong())
      const results: ToolResult[] = []
      for (const call of calls) {
        const event = await uses.run(call, request.messages)
        results.push({ callId: call.callId, content: [{ type: 'text', text: resultText(event.use) }] })
        yield answer.insert([event])
      }
      if (!isOnlyWeb(leg.turn, results)) {
        uses.note()
        return yield answer.end(leg.turn)
      }
      if (legs >= mostLegs) return yield answer.stop(`(Stopped after ${uses.count} web calls.)`, leg.turn)
      answer.next(leg.turn)
      request = withFreeChoice(followUp(request, leg.turn, results))
      turn = await options.ask(request)
      calls = []
    }
  } catch (error) {
    yield answer.fail(GatewayError.from(error))
  } finally {
    // Also if the client is gone, or its answer takes too much memory: the reader has stopped.
    if (!turn.over) turn.stop()
    for (const { callId } of calls) options.abandon(callId)
  }
}

const isOnlyWeb = ({ reason, parts }: CollectedTurn, results: readonly ToolResult[]) =>
  reason === 'tool-calls' && parts.filter(({ type }) => type === 'tool-call').length === results.length

/** The searches and fetches of one answer. */
class WebUses {
  readonly #plan: WebPlan
  readonly #serving: Serving
  readonly #counts = new Map<string, number>()
  count = 0

  constructor(plan: WebPlan, serving: Serving) {
    this.#plan = plan
    this.#serving = serving
  }

  /** What was done, once the answer is complete. */
  note(): void {
    for (const [name, { kind }] of this.#plan.tools) {
      const count = this.#counts.get(name) ?? 0
      if (count > 0)
        this.#serving.notes.add(`web ${kind} by the gateway: ${count === 1 ? 'once' : `${count} times`}`)
    }
  }

  /** Returns what the client sees of it. `messages`: the conversation so far. */
  async run({ name, input: callInput }: CallEnd, messages: readonly Message[]): Promise<WebEvent> {
    const tool = this.#plan.tools.get(name) as WebTool
    const input = inputOf(tool.kind, callInput)
    const used = (this.#counts.get(name) ?? 0) + 1
    this.#counts.set(name, used)
    const made = await this.#ran(tool, input, used, messages)
    // A replay has what came of it.
    const { outcome, problem } = recalled(this.#serving.recall, 'web use', () => made) ?? unavailable
    const { services, notes, turnId } = this.#serving
    const isFailed = 'error' in outcome
    services.metrics.count('dragoman_lacks_total', { kind: tool.kind, outcome: isFailed ? 'failed' : 'done' })
    if (isFailed) {
      notes.add(
        `a web ${tool.kind} failed (${outcome.error})${problem === undefined ? '' : `: ${services.scrubber.scrub(problem)}`}`,
      )
      services.log.warn(`a web ${tool.kind} failed`, { turn: turnId, code: outcome.error, problem })
    }
    const use: WebUse = { kind: tool.kind, input: input ?? '', outcome }
    const id = `${turnId.slice('turn_'.length)}_${++this.count}`
    return { type: 'web-use', id, name: tool.name, use }
  }

  async #ran(
    tool: WebTool,
    input: string | undefined,
    used: number,
    messages: readonly Message[],
  ): Promise<Ran | undefined> {
    const { services, signal } = this.#serving
    if (!services.web) return undefined
    if (input === undefined) return { outcome: { error: 'invalid_tool_input' } }
    if (used > Math.min(tool.maxUses ?? usualUses, mostUses))
      return { outcome: { error: 'max_uses_exceeded' } }
    const isKnown = (url: string) => messages.some((message) => names(message, url))
    return services.web.run(tool, input, isKnown, nativeSignal(signal))
  }
}

const unavailable: Ran = { outcome: { error: 'unavailable' } }

/**
 * Whether the user, a tool or an earlier search named the address. What the model itself wrote does not count: an injected instruction
 * could make it put secrets of the conversation into an address.
 */
function names(message: Message, url: string): boolean {
  const has = (text: string) => namesAddress(text, url)
  switch (message.role) {
    case 'assistant':
      return false
    case 'tool':
      return message.results.some(({ content }) =>
        content.some((part) => part.type === 'text' && has(part.text)),
      )
    default:
      return message.content.some((part) => part.type === 'text' && has(part.text))
  }
}

/** A choice that demands a call is fulfilled by the first use. */
function withFreeChoice(request: TurnRequest): TurnRequest {
  const { toolChoice, ...rest } = request
  return toolChoice?.type === 'tool' || toolChoice?.type === 'required' ? rest : request
}

const tooLong = () =>
  new GatewayError('upstream-protocol', `A part of the answer was longer than ${longestPart} characters.`)
