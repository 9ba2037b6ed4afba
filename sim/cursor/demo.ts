// The demo model on Cursor's wire: thinks, calls tools, reads their results and answers. Like Cursor's models, it tries Cursor's own
// tools first, and uses the client's if those are refused.

import { randomUUID } from 'node:crypto'
import { stripContext } from '../model/request-text.ts'
import { type Answer, answer, isTitleRequest, type Message, type Tool, type ToolCall } from '../model.ts'
import { cutText, cutWords } from '../pieces.ts'
import { estimateTokens } from '../tokens.ts'
import type { AgentRun } from './agent-run.ts'
import type { Discovery } from './discovery.ts'
import type { Exec } from './exec-ledger.ts'
import { Memory } from './memory.ts'
import { isThinkingModel } from './models.ts'
import { NATIVE_TOOLS, toExecSpec, toTools } from './native-tools.ts'
import { readOrders, takeOver } from './orders.ts'
import type { PendingCall } from './pending-calls.ts'
import { recall } from './recall.ts'
import { outcomeText } from './result-text.ts'
import { callMessages, type Scene, toMessages, toResult } from './scene.ts'
import { callOfPending, toShownCall } from './tool-calls.ts'
import type { Spelling } from './tool-names.ts'
import type { ToolsetMode } from './toolset.ts'

export interface DemoOptions {
  readonly paceMs: number
  readonly streamsShell: boolean
  /** Whether the model has Cursor's own tools, as with the real service. */
  readonly nativeTools: boolean
  /** How it writes the names of the client's tools. */
  readonly spelling: Spelling
  readonly toolset: ToolsetMode
}

interface DemoParts extends DemoOptions {
  readonly discovery: Discovery
}

interface RunningCall {
  readonly call: ToolCall & { readonly id: string }
  readonly exec: Exec
}

/** More steps than any user message can ask for. */
const MAX_STEPS = 20

export async function playDemo(run: AgentRun, scene: Scene, options: DemoParts): Promise<void> {
  const demo = new Demo(run, scene, options, await Memory.begin(run, scene))
  await demo.play()
}

class Demo {
  readonly #run: AgentRun
  readonly #scene: Scene
  readonly #options: DemoParts
  readonly #memory: Memory
  readonly #talk: Message[]
  readonly #pending: readonly PendingCall[]
  readonly #asked: string
  readonly #taken: ReadonlySet<string>
  #orders: ToolCall[]
  readonly #hadOrders: boolean
  /** Cursor's tools that the client refused to run. */
  readonly #refused = new Set<string>()
  /** Refusals that no other tool made up for. */
  readonly #complaints: string[] = []
  #outputTokens = 0
  #reasoningTokens = 0
  #steps = 0

  constructor(run: AgentRun, scene: Scene, options: DemoParts, memory: Memory) {
    this.#run = run
    this.#scene = scene
    this.#options = options
    this.#memory = memory
    this.#talk = toMessages(scene)
    this.#pending = memory.takePending()
    const last = this.#talk.findLastIndex(({ role, text }) => role === 'user' && text !== '')
    this.#asked = this.#talk[last]?.text ?? ''
    const done = this.#talk.slice(last + 1).flatMap(({ toolCalls }) => toolCalls ?? []).length
    this.#taken = new Set(this.#native.map(({ name }) => name))
    const orders = readOrders(stripContext(this.#asked), this.#offered, this.#surroundings).flatMap(
      (order) =>
        this.#isOutOfReach(order.name) ? (takeOver(order, this.#offered, this.#taken) ?? []) : order,
    )
    this.#hadOrders = orders.length > 0
    this.#orders = orders.slice(done + this.#pending.length)
  }

  async play(): Promise<void> {
    if (this.#pending.length > 0) await this.#takeUp()
    while (this.#steps < MAX_STEPS) {
      const { reasoning, text, calls } = this.#think()
      const stepId = BigInt(++this.#steps)
      await this.#run.update({ case: 'stepStarted', value: { stepId } })
      if (reasoning !== undefined && isThinkingModel(this.#scene.model)) await this.#reason(reasoning)
      if (text !== undefined) await this.#say(text)
      if (calls.length > 0) await this.#perform(calls)
      else await this.#run.update({ case: 'toolRequestsListed', value: { callCount: 0 } })
      await this.#run.update({ case: 'stepCompleted', value: { stepId, stepDurationMs: 1n } })
      if (calls.length === 0) break
      await this.#memory.checkpoint(this.#usedTokens())
    }
    await this.#end()
  }

  #think(): Answer {
    const { system, directory } = this.#scene
    const offered = this.#offered
    const place = directory === '' ? '' : `Working directory: ${directory}\n`
    const recalled = recall(this.#asked, this.#talk)
    if (recalled !== undefined) return { text: recalled, calls: [] }
    const talk = { system: `${place}${system}`, messages: this.#talk, toolChoice: 'auto' as const }
    if (this.#orders.length > 0) {
      const calls = this.#orders
      this.#orders = []
      return { reasoning: `The next thing to do is a call of ${calls[0]?.name}.`, calls }
    }
    const isTitle = offered.length === 0 && isTitleRequest({ ...talk, tools: [] }, this.#asked)
    const native = isTitle || this.#hadOrders ? [] : this.#native
    const tools = [
      ...native.filter(({ name }) => !this.#refused.has(name)),
      ...(this.#hadOrders
        ? []
        : toTools(offered, this.#taken).filter(({ name }) => !this.#refused.has(name))),
    ]
    // A model with Cursor's own tools ignores the client's as long as its own work.
    const own = tools.filter(({ name }) => native.some((tool) => tool.name === name))
    const reply = answer({ ...talk, tools: this.#refused.size === 0 && own.length > 0 ? own : tools })
    if (reply.calls.length > 0) return reply
    const text = this.#complaints.length > 0 ? this.#complain(reply.text ?? '') : reply.text
    return { ...reply, ...(text !== undefined && { text }) }
  }

  get #native(): Tool[] {
    const { nativeTools, toolset } = this.#options
    const isFree = toolset === 'ignored' || (toolset === 'leaky' && this.#steps === 0)
    const has = (call: string) => nativeTools && (isFree || this.#run.record.toolset.has(call))
    return NATIVE_TOOLS.flatMap(({ tool, call }) => (has(call) ? [tool] : []))
  }

  /** The client's tools that the model sees. */
  get #offered(): Scene['tools'] {
    const isShown = this.#options.toolset === 'ignored' || this.#run.record.toolset.hasClientTools
    return isShown ? this.#scene.tools : []
  }

  /** One of Cursor's own tools that this run lacks. */
  #isOutOfReach(name: string): boolean {
    const isOwn = NATIVE_TOOLS.some(({ tool }) => tool.name === name)
    return isOwn && this.#options.nativeTools && !this.#taken.has(name)
  }

  #complain(text: string): string {
    const isReport = this.#talk.some(({ toolResults }) => toolResults !== undefined)
    return [...(isReport ? [text] : []), ...this.#complaints].join('\n')
  }

  async #reason(text: string): Promise<void> {
    for (const piece of cutWords(text)) {
      await this.#run.update({ case: 'thinkingDelta', value: { text: piece } })
      await this.#pause()
    }
    await this.#run.update({ case: 'thinkingCompleted', value: { thinkingDurationMs: 1 } })
    this.#reasoningTokens += estimateTokens(text)
    await this.#memory.addStep({ case: 'thinkingMessage', value: { text, durationMs: 1 } })
  }

  async #say(text: string): Promise<void> {
    for (const piece of cutWords(text)) {
      await this.#run.update({ case: 'textDelta', value: { text: piece } })
      await this.#count(piece)
      await this.#pause()
    }
    await this.#memory.addStep({ case: 'assistantMessage', value: { text } })
  }

  /** Requests all calls before it awaits the first result. */
  async #perform(wanted: readonly ToolCall[]): Promise<void> {
    const run = this.#run
    const modelCallId = randomUUID()
    const asked = wanted.map((wish) => {
      const call: ToolCall & { id: string } = { ...wish, id: `tool_${randomUUID()}` }
      const spec = toExecSpec(call, this.#scene.tools, this.#surroundings)
      return { call, spec }
    })
    for (const { spec } of asked) await this.#options.discovery.before(spec)
    for (const { call, spec } of asked) await this.#announce(call, spec, modelCallId)
    await run.update({ case: 'toolRequestsListed', value: { callCount: asked.length } })
    const running = asked.map(({ call, spec }) => ({ call, exec: run.ask(spec, call.id) }))
    await this.#collect(running, modelCallId)
  }

  /** Repeats the open calls of an interrupted run, as the same calls. */
  async #takeUp(): Promise<void> {
    const modelCallId = randomUUID()
    for (const { toolCallId: callId, spec } of this.#pending) {
      const toolCall = toShownCall(spec.args)
      const value = { callId, modelCallId, ...(toolCall && { toolCall }) }
      await this.#run.update({ case: 'toolCallStarted', value })
    }
    const execs = this.#run.askAgain(this.#pending, false)
    const running = this.#pending.flatMap((pending, index) => {
      const exec = execs[index]
      return exec ? [{ call: callOfPending(pending), exec }] : []
    })
    await this.#collect(running, modelCallId)
    await this.#memory.checkpoint(this.#usedTokens())
  }

  async #collect(running: readonly RunningCall[], modelCallId: string): Promise<void> {
    const run = this.#run
    // A run that breaks while the client works can be resumed from here.
    await this.#memory.checkpoint(
      this.#usedTokens(),
      running.map(({ exec }) => exec),
    )
    const earlier = this.#complaints.splice(0)
    let hasSuccess = false
    for (const { call, exec } of running) {
      const outcome = await run.waitFor(exec.done)
      const shown = toShownCall(outcome.args, outcome)
      await run.update({
        case: 'toolCallCompleted',
        value: { callId: call.id, modelCallId, ...(shown && { toolCall: shown }) },
      })
      const result = outcomeText(outcome)
      if (result.isRejected) {
        this.#refuse(call, result.text)
        continue
      }
      hasSuccess = true
      this.#talk.push(...callMessages([call], [toResult(call, result)]))
      if (shown) await this.#memory.addStep({ case: 'toolCall', value: shown })
    }
    // Another tool succeeded: the refusal is not reported.
    if (!hasSuccess) this.#complaints.unshift(...earlier)
  }

  get #surroundings() {
    const { streamsShell, spelling } = this.#options
    return { directory: this.#scene.directory, streamsShell, spelling, taken: this.#taken }
  }

  async #announce(call: ToolCall & { id: string }, spec: ReturnType<typeof toExecSpec>, modelCallId: string) {
    const shown = 'args' in spec ? toShownCall(spec.args) : undefined
    const value = { callId: call.id, modelCallId, ...(shown && { toolCall: shown }) }
    const json = JSON.stringify(call.arguments)
    for (const argsTextDelta of cutText(json, 2)) {
      await this.#run.update({ case: 'partialToolCall', value: { ...value, argsTextDelta } })
    }
    await this.#count(json)
    await this.#run.update({ case: 'toolCallStarted', value })
  }

  #refuse(call: ToolCall, reason: string): void {
    const replacement = takeOver(call, this.#offered, this.#taken)
    if (replacement !== undefined) {
      this.#orders.push(replacement)
      return
    }
    this.#refused.add(call.name)
    this.#complaints.push(`The tool ${call.name} was refused: ${reason}`)
  }

  async #end(): Promise<void> {
    const usedTokens = this.#usedTokens()
    await this.#run.update({
      case: 'turnEnded',
      value: {
        inputTokens: BigInt(usedTokens),
        outputTokens: BigInt(this.#outputTokens + this.#reasoningTokens),
        cacheReadTokens: 0n,
        cacheWriteTokens: 0n,
        reasoningTokens: BigInt(this.#reasoningTokens),
      },
    })
    await this.#memory.checkpoint(usedTokens)
    await this.#run.finish()
  }

  async #count(text: string): Promise<void> {
    const tokens = estimateTokens(text)
    this.#outputTokens += tokens
    await this.#run.update({ case: 'tokenDelta', value: { tokens } })
  }

  #usedTokens(): number {
    return estimateTokens([this.#scene.system, toTools(this.#scene.tools, this.#taken), this.#talk])
  }

  async #pause(): Promise<void> {
    if (this.#options.paceMs > 0) await this.#run.writer.wait(this.#options.paceMs)
  }
}
