// The agent's memory of a turn: blobs that the client stores, and checkpoints that refer to them.

import { clone, create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import {
  type ConversationStateStructure,
  ConversationStateStructureSchema,
  ConversationStepSchema,
  ConversationTurnStructureSchema,
  UserMessageSchema,
} from '../../proto/gen/agent/v1/run_pb.ts'
import type { AgentRun } from './agent-run.ts'
import type { Exec } from './exec-ledger.ts'
import { CONTEXT_TOKENS } from './models.ts'
import { type PendingCall, readPending, writePending } from './pending-calls.ts'
import type { Scene } from './scene.ts'

type StepInit = MessageInitShape<typeof ConversationStepSchema>['message']

const OWN_PROMPT = { role: 'system', content: 'You are a simulated agent: no real model is behind this.' }

export class Memory {
  readonly #run: AgentRun
  readonly #state: ConversationStateStructure
  #userBlobId: Uint8Array
  readonly #stepBlobIds: Uint8Array[]
  /** Calls of the resumed turn that were not requested again yet. */
  readonly #pending: string[]

  private constructor(run: AgentRun, state: ConversationStateStructure, turn: TurnIds) {
    this.#run = run
    this.#state = state
    this.#userBlobId = turn.userBlobId
    this.#stepBlobIds = [...turn.stepBlobIds]
    this.#pending = [...turn.pending]
  }

  /** Stores the beginning of a turn: always at least one blob. */
  static async begin(run: AgentRun, { request, history, isResumed }: Scene): Promise<Memory> {
    const given = request.conversationState ?? create(ConversationStateStructureSchema)
    const state = clone(ConversationStateStructureSchema, given)
    // A new message cancels the open calls of the last turn.
    const pending = isResumed ? state.pendingToolCalls : []
    if (state.rootPromptMessagesJson.length === 0) {
      state.rootPromptMessagesJson = [await run.storeBlob(Buffer.from(JSON.stringify(OWN_PROMPT)))]
    }
    const resumed = isResumed ? history.turns.at(-1) : undefined
    if (resumed !== undefined) {
      state.turns = state.turns.slice(0, -1)
      return new Memory(run, state, { ...resumed, pending })
    }
    const action = request.action?.action
    const said = action?.case === 'userMessageAction' ? action.value.userMessage : undefined
    const message = said ?? create(UserMessageSchema)
    const userBlobId = await run.storeBlob(toBinary(UserMessageSchema, message))
    return new Memory(run, state, { userBlobId, stepBlobIds: [], pending })
  }

  async addStep(message: StepInit): Promise<void> {
    const step = create(ConversationStepSchema, { ...(message && { message }) })
    this.#stepBlobIds.push(await this.#run.storeBlob(toBinary(ConversationStepSchema, step)))
  }

  /** Removes and returns the calls that this run must request again. */
  takePending(): PendingCall[] {
    return readPending(this.#pending.splice(0))
  }

  /** `open`: calls of this run whose results are not among the steps. */
  async checkpoint(usedTokens: number, open: readonly Exec[] = []): Promise<void> {
    const turn = create(ConversationTurnStructureSchema, {
      turn: {
        case: 'agentConversationTurn',
        value: { userMessage: this.#userBlobId, steps: this.#stepBlobIds },
      },
    })
    const id = await this.#run.storeBlob(toBinary(ConversationTurnStructureSchema, turn))
    const value = clone(ConversationStateStructureSchema, this.#state)
    value.turns.push(id)
    value.pendingToolCalls = [...this.#pending, ...writePending(open)]
    const details = create(ConversationStateStructureSchema, {
      tokenDetails: { usedTokens, maxTokens: CONTEXT_TOKENS },
    })
    if (details.tokenDetails) value.tokenDetails = details.tokenDetails
    await this.#run.send({ case: 'conversationCheckpointUpdate', value })
  }
}

interface TurnIds {
  readonly userBlobId: Uint8Array
  readonly stepBlobIds: readonly Uint8Array[]
  readonly pending: readonly string[]
}
