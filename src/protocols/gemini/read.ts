// generateContent, streamed or whole → TurnEvents. A stream has no event names and no last message: its end counts if a chunk had a
// finish reason. Calls arrive whole, in one part. https://ai.google.dev/api/generate-content#GenerateContentResponse

import { keepSpelling, writeExact } from '../../base/exact-json.ts'
import { type Fields, isObject } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'
import type { FinishReason } from '../../core/events.ts'
import { argumentsNote } from '../../core/repairs.ts'
import { entryCost, textCost } from '../../core/turn-budget.ts'
import { asCode } from '../errors/service-error.ts'
import { cutCallNote, longestInput, readToolInput } from '../requests/tool-input.ts'
import { createLaneStep, type LaneStep } from '../streams/lane.ts'
import { isCut, type ReaderOptions, TurnReader } from '../streams/reader.ts'
import { toProof } from './call-signature.ts'
import { readFinish } from './finish-in.ts'
import { PartialCall } from './partial-call.ts'
import { fromGeminiError } from './upstream-errors.ts'
import { GeminiUsage } from './usage-in.ts'

interface GeminiReaderOptions extends ReaderOptions {
  /** Where the signatures come from. */
  source: string
}

export class GeminiReader extends TurnReader<GeminiReaderOptions> {
  readonly #usage = new GeminiUsage()
  /** The thought signatures of calls, by call id. */
  readonly #signatures = new Map<string, string>()
  #open: PartialCall | undefined
  #finish: { reason: FinishReason; raw: string } | undefined
  #isBlocked = false
  #hasOwnParts = false
  #isThinking = false
  readonly #step = createLaneStep()

  get settled(): boolean {
    return this.ended || this.#finish !== undefined || this.#isBlocked
  }

  /** Between the summaries of its thoughts, a model thinks unseen. */
  override get mayBeSilent(): boolean {
    return super.mayBeSilent || this.#isThinking || this.#open !== undefined
  }

  /** The signature that the call came with: the service wants it back. */
  signatureOf(callId: string): string | undefined {
    return this.#signatures.get(callId)
  }

  protected override get laneStep(): LaneStep {
    const step = this.#step
    step.holds = this.#open !== undefined
    const { ofCall, replaced, visible, withheld } = step
    const taken = { ofCall, replaced, visible, withheld }
    step.ofCall = false
    step.withheld = false
    step.replaced = false
    step.visible = false
    return { ...step, ...taken }
  }

  protected onMessage(data: string): void {
    const chunk = this.parse(data)
    // Of all that is read of a chunk, only arguments have numbers whose spelling counts.
    if (data.includes('functionCall') || data.includes('\\u')) keepSpelling(data, chunk)
    this.#onChunk(chunk)
  }

  protected onWhole(answer: Fields, text?: string): void {
    if (text !== undefined) keepSpelling(text, answer)
    this.#onChunk(answer)
    if (!this.settled) throw this.malformed('an answer without a finish reason')
    this.finish()
  }

  #onChunk(chunk: Fields): void {
    if (chunk.error !== undefined)
      throw fromGeminiError({ backend: this.options.backend, status: 200, body: chunk })
    this.#start(chunk)
    this.#usage.merge(chunk.usageMetadata)
    const candidates = Array.isArray(chunk.candidates) ? chunk.candidates.filter(isObject) : []
    const candidate = candidates.find(({ index = 0 }) => index === 0)
    if (candidate) this.#onCandidate(candidate)
    else if (isObject(chunk.promptFeedback)) this.#onBlocked(chunk.promptFeedback)
  }

  #start({ responseId, modelVersion }: Fields): void {
    if (this.blocks.isStarted) return
    const { turnId, model } = this.options
    this.blocks.push({
      type: 'turn-start',
      id: textOf(responseId) || turnId,
      model: textOf(modelVersion) || model,
    })
  }

  #onCandidate({ content, finishReason, finishMessage }: Fields): void {
    const parts = isObject(content) && Array.isArray(content.parts) ? content.parts : []
    if (this.#finish !== undefined) {
      if (!parts.some((part) => isObject(part) && part.text !== '')) return
      this.repairs.add('output-after-end')
      this.#step.withheld = true
      return
    }
    for (const part of parts) if (isObject(part)) this.#onPart(part)
    if (typeof finishReason !== 'string' || finishReason === '') return
    this.#end(finishReason, finishMessage)
  }

  #end(raw: string, message: unknown): void {
    const { calls, hasText } = this.blocks
    const finish = readFinish(raw, calls > 0 || hasText || this.#hasOwnParts || this.#open !== undefined)
    if (finish.kind === 'failure') {
      const { backend } = this.options
      const excerpt = textOf(message)
      throw new GatewayError('upstream-protocol', `${backend}: ${finish.what}; try again.`, {
        serviceCode: asCode(raw),
        ...(excerpt === '' ? {} : { upstream: { excerpt } }),
      })
    }
    if (finish.isOdd && !this.options.lane) this.repairs.add('odd-finish')
    this.#finish = { reason: finish.reason, raw: asCode(raw) ?? 'OTHER' }
  }

  /** A client of the same dialect reads it in the service's own form. */
  #onBlocked(feedback: Fields): void {
    const given = textOf(feedback.blockReason)
    if (given === '' || this.#finish !== undefined) return
    this.#isBlocked = true
    if (this.options.lane) return
    const reason = asCode(given)
    const named = reason === undefined ? '' : ` (${reason})`
    throw new GatewayError(
      'invalid-request',
      `${this.options.backend}: the service has blocked the prompt${named}; change its content, or use another model.`,
      { serviceCode: reason, upstream: { excerpt: JSON.stringify(feedback) } },
    )
  }

  #onPart(part: Fields): void {
    if (isObject(part.functionCall)) return this.#onCall(part.functionCall, textOf(part.thoughtSignature))
    // The signature of an answer without calls need not come back.
    if (typeof part.text === 'string') {
      if (part.text === '') return
      this.#settleCall(false)
      this.#isThinking = part.thought === true
      if (this.#isThinking) this.blocks.reasoning(part.text)
      else this.blocks.text(part.text)
      return
    }
    if (Object.keys(part).every((name) => name === 'thoughtSignature' || name === 'thought')) return
    // Code that the service ran, calls of its own tools, pictures: only the lane has them.
    this.#hasOwnParts = true
    this.#step.visible = true
    if (!this.options.lane) this.repairs.add('odd-part')
  }

  #onCall(call: Fields, signature: string): void {
    this.#step.ofCall = true
    this.#isThinking = false
    const name = textOf(call.name)
    if (name === '') return this.#onPiece(call)
    this.#settleCall(false)
    if (signature !== '') this.blocks.endReasoning({ signature: toProof(signature, this.options.source) })
    const given = textOf(call.id)
    const callId = this.blocks.startCall(given, name)
    if (given !== '' && callId !== given) this.#step.replaced = true
    if (signature !== '') {
      this.budget.spend(entryCost + textCost(signature))
      this.#signatures.set(callId, signature)
    }
    if (call.willContinue === true || Array.isArray(call.partialArgs)) {
      this.#open = new PartialCall(name)
      return this.#onPiece(call)
    }
    const { args = {} } = call
    if (isObject(args)) this.#endCall(name, writeExact(args), args)
    else this.#endOddCall(name, writeExact(args))
  }

  /** Servers beside Google send arguments as text, or none as null. */
  #endOddCall(name: string, args: string): void {
    const read = readToolInput(args)
    const [input, ...others] = read.ok ? read.inputs : []
    if (!read.ok || input === undefined || others.length > 0)
      throw this.malformed(`malformed arguments for tool "${name}"`, args)
    if (read.changed !== undefined) this.options.note(argumentsNote(read.changed))
    this.#step.replaced = true
    this.#endCall(name, input, read.value)
  }

  /** A further piece of the open call, or its end. */
  #onPiece({ partialArgs, willContinue, ...rest }: Fields): void {
    const call = this.#open
    if (!call) {
      // The end of a call that was complete without it.
      if (Object.keys(rest).length === 0 && partialArgs === undefined) return
      throw this.malformed('a tool call without a name')
    }
    const pieces = Array.isArray(partialArgs) ? partialArgs : []
    this.budget.spend(textCost(JSON.stringify(pieces)))
    if (!call.add(pieces)) throw this.malformed(`malformed arguments for tool "${call.name}"`)
    if (willContinue !== true) this.#settleCall(false)
  }

  #settleCall(cut: boolean): void {
    const call = this.#open
    if (!call) return
    this.#open = undefined
    if (cut) {
      this.#step.replaced = true
      return this.options.note(cutCallNote)
    }
    this.#endCall(call.name, writeExact(call.args), call.args)
  }

  #endCall(name: string, input: string, args: Fields | undefined): void {
    if (input.length > longestInput) throw this.malformed(`a call of tool "${name}" of more than 8 MiB`)
    if (this.blocks.endCall(input, args)) this.#step.replaced = true
  }

  protected finish(): void {
    const { reason, raw } = this.#finish ?? { reason: 'content-filter' as const, raw: 'PROHIBITED_CONTENT' }
    this.#settleCall(isCut(reason))
    this.blocks.close()
    this.ended = true
    const { usage } = this.#usage
    const ended = this.conclude(reason)
    this.blocks.push({ type: 'turn-end', reason: ended, rawReason: raw, ...(usage ? { usage } : {}) })
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
