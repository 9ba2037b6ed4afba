// A run from its first message to its end: checks the request, fetches what it refers to, and plays the matching scripted turn or the
// demo model.

import { create } from '@bufbuild/protobuf'
import { RequestContextArgsSchema } from '../../proto/gen/agent/v1/context_pb.ts'
import type { AgentRunRequest } from '../../proto/gen/agent/v1/run_pb.ts'
import { findDifference } from '../match.ts'
import type { AgentRun } from './agent-run.ts'
import { sayAsides } from './asides.ts'
import type { Conversations } from './conversations.ts'
import { type DemoOptions, playDemo } from './demo.ts'
import { Discovery, type DiscoveryMode } from './discovery.ts'
import { loadHistory, modelOf, NO_HISTORY, offeredTools } from './history.ts'
import { checkMode, type ModelRow } from './models.ts'
import { readPending } from './pending-calls.ts'
import { playSteps } from './player.ts'
import { Refusal } from './refusal.ts'
import { RunOver } from './run-over.ts'
import { type Scene, type SceneView, toScene, toView } from './scene.ts'
import type { CursorStep, CursorTurn } from './script.ts'
import { checkNames } from './tool-names.ts'
import type { RequiredTools } from './toolset.ts'

interface StageOptions extends DemoOptions {
  readonly models: readonly ModelRow[]
  /** Delay before the first message of a run. */
  readonly bootstrapMs: number
  readonly mcpState: DiscoveryMode | undefined
  readonly grants: readonly Grant[]
  readonly required: RequiredTools
}

/** Extra features of an account. */
export type Grant = 'system-prompt' | 'no-workspace-context'

/** A turn, or only its steps. */
export type CursorTurnInput = CursorTurn | readonly CursorStep[]

export class Stage {
  readonly queue: CursorTurn[] = []
  readonly #options: StageOptions
  readonly #conversations: Conversations

  constructor(options: StageOptions, conversations: Conversations) {
    this.#options = options
    this.#conversations = conversations
  }

  /** A response may begin before its run, unless a script may want another status. */
  get mayBeginEarly(): boolean {
    return !this.queue.some(isStatus)
  }

  add(turns: readonly CursorTurnInput[]): void {
    this.queue.push(...turns.map((turn) => ('steps' in turn ? turn : { steps: turn })))
  }

  async play(run: AgentRun): Promise<void> {
    try {
      const request = await run.opening()
      run.guard(() => {
        checkRequest(request)
        checkGrants(request, this.#options.grants)
      })
      if (!run.isOver) await this.#perform(run, request)
    } catch (error) {
      if (error instanceof Refusal) run.fail(error)
      else if (!(error instanceof RunOver))
        run.fail(new Refusal('internal', `the simulator failed: ${error}`))
    }
  }

  async #perform(run: AgentRun, request: AgentRunRequest): Promise<void> {
    const first = toScene(request, NO_HISTORY, undefined)
    const findNext = () => this.queue[this.#find(toView(first))]
    // A status comes from a proxy before the agent, not from the agent.
    if (isStatus(findNext())) return this.#playTurn(run, first)
    await this.#conversations.admit(run, request)
    if (this.#options.bootstrapMs > 0) await run.writer.wait(this.#options.bootstrapMs)
    if (run.isOver) return
    if (isBare(findNext())) return this.#playTurn(run, first)
    this.#checkModel(request)
    checkNames(run, offeredTools(request, undefined))
    const history = await loadHistory(run, request)
    const value = create(RequestContextArgsSchema)
    await run.waitFor(run.ask({ args: { case: 'requestContextArgs', value } }).done)
    checkNames(run, run.record.context?.tools ?? [])
    const scene = toScene(request, history, run.record.context)
    const { required, toolset } = this.#options
    if (toolset !== 'ignored') run.record.toolset.check(required, scene.tools.length > 0)
    await this.#playTurn(run, scene)
  }

  async #playTurn(run: AgentRun, scene: Scene): Promise<void> {
    const view = toView(scene)
    const index = this.#find(view)
    const turn = index < 0 ? undefined : this.queue.splice(index, 1)[0]
    const { mcpState, spelling } = this.#options
    if (!isBare(turn)) await sayAsides(run, scene)
    const discovery = new Discovery(run, scene.model, mcpState)
    if (turn === undefined) return playDemo(run, scene, { ...this.#options, discovery })
    const difference = findDifference(turn.expect ?? {}, view, 'run')
    if (difference === undefined) return playSteps({ run, scene, discovery, spelling }, turn.steps)
    run.record.difference = difference
    run.violate(new Refusal('internal', `the request is not what the script expects: ${difference}`))
  }

  /** The first turn for this request; -1 if there is none. */
  #find(view: SceneView): number {
    return this.queue.findIndex(({ when }) => {
      if (typeof when === 'function') return when(view)
      return when === undefined || findDifference(when, view) === undefined
    })
  }

  #checkModel(request: AgentRunRequest): void {
    const model = modelOf(request)
    const row = this.#options.models.find(({ id }) => id === model)
    if (row !== undefined) return checkMode(request, row)
    throw new Refusal('not_found', 'Error', {
      error: 5,
      title: 'Bad model name',
      detail: `The model "${model}" does not exist or is not available to you.`,
      isRetryable: false,
    })
  }
}

function checkRequest({ conversationState, action }: AgentRunRequest): void {
  // Decoding distinguishes an empty state from an absent one.
  if (conversationState === undefined) {
    throw new Refusal('invalid_argument', 'Conversation state is required')
  }
  const chosen = action?.action
  if (chosen?.case !== 'userMessageAction' && chosen?.case !== 'resumeAction') {
    throw new Refusal('invalid_argument', `the action of run_request is ${chosen?.case ?? 'not set'}`)
  }
  if (chosen.case === 'userMessageAction' && chosen.value.userMessage === undefined) {
    throw new Refusal('invalid_argument', 'user_message_action has no user_message')
  }
  readPending(conversationState.pendingToolCalls)
}

function checkGrants(request: AgentRunRequest, grants: readonly Grant[]): void {
  const { customSystemPrompt, excludeWorkspaceContext } = request
  if (customSystemPrompt !== undefined && !grants.includes('system-prompt')) {
    throw new Refusal('invalid_argument', "error: unknown option '--system-prompt'")
  }
  if (excludeWorkspaceContext && !grants.includes('no-workspace-context')) {
    const words = 'Workspace context exclusion is not allowed for this user, team, or selected model'
    throw new Refusal('invalid_argument', words)
  }
}

function isStatus(turn: CursorTurn | undefined): boolean {
  return turn?.steps.some((step) => 'status' in step) ?? false
}

/** Played right after the request: no blobs, no context, no questions to the client before it. */
function isBare(turn: CursorTurn | undefined): boolean {
  return isStatus(turn) || (turn?.steps.some((step) => 'bare' in step) ?? false)
}
