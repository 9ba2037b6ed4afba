// The service's memory of conversations, and the rules for continuing one: one run at a time, from the last checkpoint, with ids that
// show whether it is the same turn. Conversations that the service does not know have no rules.

import { create, toBinary } from '@bufbuild/protobuf'
import { type AgentRunRequest, ConversationStateStructureSchema } from '../../proto/gen/agent/v1/run_pb.ts'
import type { AgentRun } from './agent-run.ts'
import type { FairClock } from './clock.ts'
import { Conversation } from './conversation.ts'
import { Deliveries } from './deliveries.ts'
import { callIdOf } from './exec-kinds.ts'
import { pendingIds } from './pending-calls.ts'
import { Refusal } from './refusal.ts'
import type { RunWitness } from './run-witness.ts'

const MAX_CONVERSATIONS = 5000
const MAX_IDS = 50_000
/** A client may open the next run before its cancellation of the last one arrives. */
const OVERLAP_MS = 500
const LOOK_MS = 10

export class Conversations {
  readonly byId = new Map<string, Conversation>()
  readonly deliveries = new Deliveries()
  readonly #clock: FairClock
  /** Every run id so far, with its conversation. */
  readonly #runIds = new Map<string, string>()
  readonly #requestIds = new Map<string, true>()

  constructor(clock: FairClock) {
    this.#clock = clock
  }

  /** Ends the run if it breaks a rule; from here on the run is remembered. */
  async admit(run: AgentRun, request: AgentRunRequest): Promise<void> {
    const id = request.conversationId ?? ''
    run.witness = this.#witness(run, undefined, [])
    if (id === '') return
    const isFree = await this.#untilFree(run, id)
    run.guard(() => {
      if (!isFree) throw new Refusal('failed_precondition', `two runs of conversation ${id} at once`)
      const known = this.byId.get(id)
      known?.settle(this.#clock.now)
      this.#checkIds(run, request, known)
      this.#begin(run, request, known)
    })
  }

  async #untilFree(run: AgentRun, id: string): Promise<boolean> {
    const since = this.#clock.now
    for (;;) {
      const { current, isOpen } = this.byId.get(id) ?? {}
      // On a frozen connection the simulator cannot see that the client left.
      if (!isOpen || current?.writer.isFrozen || run.isOver) return true
      if (this.#clock.now - since >= OVERLAP_MS) return false
      await run.writer.wait(LOOK_MS)
    }
  }

  #checkIds(run: AgentRun, request: AgentRunRequest, known: Conversation | undefined): void {
    const { runId } = request
    const owner = this.#runIds.get(runId)
    if (owner !== undefined && owner !== request.conversationId) {
      throw invalid(`run_id ${runId} belongs to conversation ${owner}, not to ${request.conversationId}`)
    }
    if (known === undefined) return
    const { requestId } = run.record
    if (requestId !== undefined && this.#requestIds.has(requestId)) {
      throw invalid(`x-request-id ${requestId} was used before`)
    }
    if (runId !== '' && runId === known.runId) checkSameTurn(run, request, known)
    else if (owner !== undefined) throw invalid(`run_id ${runId} was used before; a new turn has a new one`)
    if (known.statesLike(stateBytes(request)).length === 0) throw invalid(otherState(known))
  }

  #begin(run: AgentRun, request: AgentRunRequest, known: Conversation | undefined): void {
    if (run.isOver) return
    const bytes = stateBytes(request)
    const conversation = known ?? new Conversation(request.conversationId ?? '')
    const isSameTurn = request.runId !== '' && request.runId === conversation.runId
    const given = conversation.statesLike(bytes).at(-1) ?? { bytes, runId: undefined, handedOverAt: 0 }
    conversation.beginFrom(given)
    if (!isSameTurn) conversation.beganWithMessage = saysSomething(request)
    conversation.runId = request.runId
    conversation.originalRequestId = originalIdOf(run)
    conversation.toolset = run.record.toolset
    conversation.turnEnded = false
    conversation.attempts++
    conversation.current = run
    const { requestId } = run.record
    if (requestId !== undefined) {
      conversation.requestIds.add(requestId)
      keep(this.#requestIds, requestId, true, MAX_IDS)
    }
    if (request.runId !== '') keep(this.#runIds, request.runId, conversation.id, MAX_IDS)
    this.#keepConversation(conversation)
    run.witness = this.#witness(run, conversation, pendingIds(request.conversationState))
    void run.record.waitForClose().then(() => {
      if (conversation.current === run) conversation.settle(this.#clock.now)
    })
  }

  #keepConversation(conversation: Conversation): void {
    this.byId.delete(conversation.id)
    this.byId.set(conversation.id, conversation)
    for (const [id, { isOpen }] of this.byId) {
      if (this.byId.size <= MAX_CONVERSATIONS) return
      if (!isOpen) this.byId.delete(id)
    }
  }

  #witness(run: AgentRun, conversation: Conversation | undefined, pending: readonly string[]): RunWitness {
    const asked = new Map<string, number>()
    // A run that was canceled while it was frozen no longer counts.
    const current = () => (conversation?.current === run ? conversation : undefined)
    return {
      onAsked: (exec) => {
        const callId = 'args' in exec.spec ? callIdOf(exec.spec.args) : ''
        asked.set(callId, (asked.get(callId) ?? 0) + 1)
        current()?.noteAsked(exec)
      },
      onAnswered: ({ spec }) => {
        const callId = 'args' in spec ? callIdOf(spec.args) : ''
        if (callId === '') return
        const isPending = pending.includes(callId)
        this.deliveries.note(callId, { run, asked: asked.get(callId) ?? 0, isPending })
        current()?.noteAnswered(callId)
      },
      onSent: (message, handedOver) => {
        const at = current()
        if (message.case === 'conversationCheckpointUpdate') {
          const bytes = toBinary(ConversationStateStructureSchema, message.value)
          const state = at?.addCheckpoint(bytes, this.#clock.now)
          void handedOver.then(() => {
            if (state !== undefined && !run.isOver) state.handedOverAt = this.#clock.now
          })
        } else if (message.case === 'interactionUpdate' && message.value.message.case === 'turnEnded') {
          if (at !== undefined) at.turnEnded = true
        }
      },
    }
  }
}

/** The same run again, as an official client opens it after its stream broke. */
function checkSameTurn(run: AgentRun, request: AgentRunRequest, known: Conversation): void {
  const { id, runId } = known
  const originalId = originalIdOf(run)
  if (run.record.requestId === undefined) throw invalid(`run ${runId} goes on without x-request-id`)
  if (originalId === undefined || originalId !== known.originalRequestId) {
    throw invalid(
      `run ${runId} goes on with x-original-request-id ${originalId ?? 'missing'}, not ${known.originalRequestId}`,
    )
  }
  if (known.toolset && !run.record.toolset.isSame(known.toolset)) {
    throw invalid(`run ${runId} goes on with another set of tools`)
  }
  const like = known.statesLike(stateBytes(request))
  if (like.length === 0) throw invalid(otherState(known))
  const isSaved = (state: { runId: string | undefined }) => state.runId === runId
  if (saysSomething(request) && like.every(isSaved)) {
    throw invalid(`run ${runId} of conversation ${id} has a checkpoint, but its message was sent again`)
  }
  if (!saysSomething(request) && known.beganWithMessage && !like.some(isSaved)) {
    throw invalid(`run ${runId} of conversation ${id} is resumed from a state without its message`)
  }
}

function otherState({ id, checkpoint }: Conversation): string {
  const wanted =
    checkpoint === undefined ? 'the one it began with' : 'the last checkpoint that was sent in it'
  return `the conversation_state for conversation ${id} is not ${wanted}`
}

function stateBytes({ conversationState }: AgentRunRequest): Uint8Array {
  const state = conversationState ?? create(ConversationStateStructureSchema)
  return toBinary(ConversationStateStructureSchema, state)
}

function saysSomething({ action }: AgentRunRequest): boolean {
  return action?.action.case === 'userMessageAction'
}

function originalIdOf({ record }: AgentRun): string | undefined {
  const id = record.headers['x-original-request-id']
  return typeof id === 'string' ? id : undefined
}

function invalid(sentence: string): Refusal {
  return new Refusal('invalid_argument', sentence)
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
