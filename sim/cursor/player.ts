// Plays the steps of a scripted turn on one run.

import { randomBytes, randomUUID } from 'node:crypto'
import { fromJson, type JsonValue, type MessageInitShape } from '@bufbuild/protobuf'
import { AgentServerMessageSchema, type ConversationStepSchema } from '../../proto/gen/agent/v1/run_pb.ts'
import { cutText } from '../pieces.ts'
import type { AgentRun } from './agent-run.ts'
import type { Discovery } from './discovery.ts'
import { asNewCall, type ExecSpec, execFromJson, withCallId } from './exec-kinds.ts'
import type { Exec, ExecOutcome } from './exec-ledger.ts'
import { playFault } from './faults.ts'
import { listings } from './listings.ts'
import { Memory } from './memory.ts'
import { mcpArgs } from './native-tools.ts'
import { toQuery } from './queries.ts'
import { isConnectCode, Refusal } from './refusal.ts'
import type { Scene } from './scene.ts'
import type { CursorStep, EndStep, ErrorStep, ExecJson, HeartbeatsStep, KvStep } from './script.ts'
import { toShownCall } from './tool-calls.ts'
import { bareName, type Spelling, spell } from './tool-names.ts'

type StepInit = MessageInitShape<typeof ConversationStepSchema>['message']

/** Pause between writes that should arrive separately. */
const APART_MS = 10

interface Play {
  readonly run: AgentRun
  readonly scene: Scene
  readonly discovery: Discovery
  readonly spelling: Spelling
}

export async function playSteps(play: Play, steps: readonly CursorStep[]): Promise<void> {
  const { run, scene } = play
  const isBare = steps.some((step) => 'bare' in step || 'status' in step)
  const player = new Player(play, isBare ? undefined : await Memory.begin(run, scene))
  const lists = listings(steps)
  for (const [index, step] of steps.entries()) {
    // Cursor is known to send GOAWAY right after a run that ended well.
    if (run.isOver && !('fault' in step && step.fault === 'goaway')) return
    const count = lists.get(index)
    if (count !== undefined) await player.list(count)
    await player.play(step)
    // A broken frame is the last one.
    if (run.writer.endedHere) run.close('failed')
  }
  if (!run.isOver) await player.conclude(steps)
}

class Player {
  readonly #run: AgentRun
  readonly #scene: Scene
  readonly #discovery: Discovery
  readonly #spelling: Spelling
  #memory: Memory | undefined
  readonly #execs: Exec[] = []
  readonly #unreported = new Set<Exec>()
  #unsaved: StepInit[] = []
  #lastBlobId: Uint8Array | undefined

  constructor({ run, scene, discovery, spelling }: Play, memory: Memory | undefined) {
    this.#run = run
    this.#scene = scene
    this.#discovery = discovery
    this.#spelling = spelling
    this.#memory = memory
  }

  async list(callCount: number): Promise<void> {
    await this.#run.update({ case: 'toolRequestsListed', value: { callCount } })
  }

  async play(step: CursorStep): Promise<void> {
    const run = this.#run
    if ('say' in step) await this.#say(step.say, step.pieces ?? 1)
    else if ('think' in step) await this.#think(step.think, step.pieces ?? 1)
    else if ('exec' in step) await this.#ask([step.exec], { shown: step.shown })
    else if ('execs' in step) await this.#ask(step.execs, step)
    else if ('query' in step) await this.#query(step.query, step.args, step.await ?? true)
    else if ('await' in step) await this.#awaitResults()
    else if ('kv' in step) await this.#kv(step)
    else if ('blobText' in step) await this.#storeText(step.blobText)
    else if ('listed' in step) await (step.listed === false ? undefined : this.list(step.listed))
    else if ('abort' in step) await this.#abort(step.abort)
    else if ('checkpoint' in step) await this.#checkpoint(step.usedTokens ?? 100)
    else if ('heartbeats' in step) await this.#heartbeats(step)
    else if ('end' in step) await this.#end(step)
    else if ('error' in step) this.#fail(step)
    else if ('repeat-exec' in step) await this.#repeat(step['repeat-exec'] === 'new-call')
    else if ('reask' in step) await this.#reask(step.reask === 'same-id', step.shown ?? true)
    else if ('serverMessage' in step) await this.#sendWritten(step.serverMessage)
    else if ('flood' in step) await this.#flood(step.flood)
    else if ('status' in step) this.#status(step)
    else if ('raw64' in step) await run.writer.raw(Buffer.from(step.raw64, 'base64'))
    else if ('split' in step) run.writer.splitBy(step.split)
    else if ('gzip' in step) run.writer.compress(step.gzip)
    else if ('wait' in step) await run.writer.wait(step.wait)
    else if ('fault' in step) await playFault(run, step)
  }

  /** A turn without an end gets one, unless it wrote raw bytes or ended its turn. */
  async conclude(steps: readonly CursorStep[]): Promise<void> {
    if (steps.some((step) => 'end' in step)) return this.#run.writer.untilGone()
    if (steps.some((step) => 'raw64' in step)) return playFault(this.#run, { fault: 'fin' })
    await this.#awaitResults()
    await this.#end({ end: true })
  }

  async #say(text: string, pieces: number): Promise<void> {
    for (const piece of cutText(text, pieces)) {
      await this.#run.update({ case: 'textDelta', value: { text: piece } })
    }
    this.#unsaved.push({ case: 'assistantMessage', value: { text } })
  }

  async #think(text: string, pieces: number): Promise<void> {
    for (const piece of cutText(text, pieces)) {
      await this.#run.update({ case: 'thinkingDelta', value: { text: piece } })
    }
    await this.#run.update({ case: 'thinkingCompleted', value: { thinkingDurationMs: 1 } })
    this.#unsaved.push({ case: 'thinkingMessage', value: { text, durationMs: 1 } })
  }

  async #ask(
    execs: readonly ExecJson[],
    { together, shown }: { together?: boolean; shown?: boolean | undefined },
  ) {
    const specs = execs.map((json) => this.#toSpec(json))
    for (const spec of specs) await this.#discovery.before(spec)
    if (together) {
      await this.#run.writer.together(() => {
        for (const spec of specs) this.#start(spec, shown ?? true)
      })
      return
    }
    for (const [index, spec] of specs.entries()) {
      if (index > 0) await this.#run.writer.wait(APART_MS)
      this.#start(spec, shown ?? true)
    }
  }

  #toSpec(json: ExecJson): ExecSpec {
    const [[name = '', args = null] = []] = Object.entries(json)
    const spec = execFromJson(name, args)
    if (!('args' in spec) || spec.args.case !== 'mcpArgs' || spec.args.value.providerIdentifier !== '')
      return spec
    // A script need not name the provider or the offered name of a client tool.
    const { name: wanted, toolCallId } = spec.args.value
    const tool = this.#scene.tools.find((one) => one.name === wanted || bareName(one) === wanted)
    const found = mcpArgs(tool ? spell(tool, this.#spelling) : wanted, {}, tool)
    if (found.case === 'mcpArgs') Object.assign(found.value, { args: spec.args.value.args, toolCallId })
    return { args: found }
  }

  #start(unnamed: ExecSpec, shown: boolean): void {
    const spec = withCallId(unnamed, `tool_${randomUUID()}`)
    if (shown) this.#show(spec)
    this.#expect(this.#run.ask(spec))
  }

  #show(spec: ExecSpec): void {
    const toolCall = 'args' in spec ? toShownCall(spec.args) : undefined
    if (toolCall === undefined) return
    const callId = toolCall.toolCallId ?? ''
    void this.#run.update({ case: 'toolCallStarted', value: { callId, toolCall } })
  }

  #expect(exec: Exec): void {
    this.#execs.push(exec)
    this.#unreported.add(exec)
  }

  async #reask(keepsIds: boolean, shown: boolean): Promise<void> {
    this.#memory ??= await Memory.begin(this.#run, this.#scene)
    const pending = this.#memory.takePending()
    if (shown) for (const { spec } of pending) this.#show(spec)
    for (const exec of this.#run.askAgain(pending, keepsIds)) this.#expect(exec)
  }

  async #awaitResults(): Promise<void> {
    for (const exec of [...this.#unreported]) await this.#report(exec, await this.#run.waitFor(exec.done))
  }

  async #report(exec: Exec, outcome: ExecOutcome): Promise<void> {
    this.#unreported.delete(exec)
    const toolCall = toShownCall(outcome.args, outcome)
    if (toolCall === undefined) return
    const callId = toolCall.toolCallId ?? ''
    await this.#run.update({ case: 'toolCallCompleted', value: { callId, toolCall } })
    this.#unsaved.push({ case: 'toolCall', value: toolCall })
  }

  async #query(name: string, args: JsonValue | undefined, waits: boolean): Promise<void> {
    const { query, wanted } = toQuery(name, args)
    const answer = this.#run.query(query, wanted)
    answer.catch(() => undefined)
    if (waits) await answer
  }

  async #kv({ kv, data, blob, missing }: KvStep): Promise<void> {
    if (kv === 'set') {
      this.#lastBlobId = await this.#run.storeBlob(Buffer.from(data ?? 'a blob of the script'))
      return
    }
    const named = blob === undefined ? this.#lastBlobId : Buffer.from(blob, 'hex')
    await this.#run.fetchBlob(missing || named === undefined ? randomBytes(32) : named)
  }

  async #storeText(text: string): Promise<void> {
    const message = { role: 'assistant', content: [{ type: 'text', text }] }
    this.#lastBlobId = await this.#run.storeBlob(Buffer.from(JSON.stringify(message)))
  }

  async #abort(number: number): Promise<void> {
    const exec = this.#execs[number - 1]
    if (exec !== undefined) await this.#run.abort(exec)
  }

  /** Without waiting: a call with a result is among the steps, any other is pending. */
  async #checkpoint(usedTokens: number): Promise<void> {
    for (const exec of [...this.#unreported]) if (exec.outcome) await this.#report(exec, exec.outcome)
    this.#memory ??= await Memory.begin(this.#run, this.#scene)
    for (const step of this.#unsaved.splice(0)) await this.#memory.addStep(step)
    await this.#memory.checkpoint(usedTokens, [...this.#unreported])
  }

  async #heartbeats({ heartbeats: { everyMs, count } }: HeartbeatsStep): Promise<void> {
    for (let sent = 0; (count === 'forever' || sent < count) && !this.#run.isOver; sent++) {
      await this.#run.update({ case: 'heartbeat', value: {} })
      await this.#run.writer.wait(everyMs)
    }
  }

  async #end({ end, usage = {} }: EndStep): Promise<void> {
    if (end === 'frame-only') return this.#run.finish()
    const { input = 100, output = 20, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = usage
    await this.#run.update({
      case: 'turnEnded',
      value: {
        inputTokens: BigInt(input),
        outputTokens: BigInt(output),
        cacheReadTokens: BigInt(cacheRead),
        cacheWriteTokens: BigInt(cacheWrite),
        reasoningTokens: BigInt(reasoning),
      },
    })
    if (end === 'turn-only') return
    if (this.#memory !== undefined) await this.#checkpoint(input + output)
    await this.#run.finish()
  }

  #fail({ error: { code, message = 'Error', details } }: ErrorStep): void {
    this.#run.fail(new Refusal(isConnectCode(code) ? code : 'unknown', message, details))
  }

  async #repeat(isNewCall: boolean): Promise<void> {
    const last = this.#execs.at(-1)
    if (last !== undefined) this.#start(isNewCall ? asNewCall(last.spec) : last.spec, true)
  }

  async #sendWritten(json: JsonValue): Promise<void> {
    const { message } = fromJson(AgentServerMessageSchema, json, { ignoreUnknownFields: false })
    const exec = message.case === 'execServerMessage' ? this.#run.adopt(message.value) : undefined
    if (exec) this.#expect(exec)
    await this.#run.send(message)
  }

  async #flood({ deltas, text, everyMs = 0 }: { deltas: number; text: string; everyMs?: number }) {
    for (let sent = 0; sent < deltas && !this.#run.isOver; sent++) {
      await this.#run.update({ case: 'textDelta', value: { text } })
      if (everyMs > 0) await this.#run.writer.wait(everyMs)
    }
  }

  #status({
    status,
    headers = {},
    body,
  }: {
    status: number
    headers?: Record<string, string>
    body?: unknown
  }) {
    const isText = typeof body === 'string'
    const type = isText ? 'text/html; charset=utf-8' : 'application/json'
    const text = isText ? body : JSON.stringify(body ?? {})
    this.#run.writer.reply(status, { 'content-type': type, ...headers }, text)
    this.#run.close('failed')
  }
}
