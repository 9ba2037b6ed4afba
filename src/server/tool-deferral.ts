// Deferred tools for services that have no search of their own: decides which tools a turn gets, and remembers what each conversation
// has loaded. Clients whose dialect shows searches send that back in the history; the memory is for the others.

import { createHash } from 'node:crypto'
import { BoundedMap, entryBytes } from '../base/bounded-map.ts'
import type { Backend } from '../core/backend.ts'
import { type Caller, callerId } from '../core/caller.ts'
import { recalled } from '../core/recall.ts'
import type { TurnRequest } from '../core/request.ts'
import { type DeferralPlan, planDeferral, requestWith } from '../protocols/tool-search/plan-deferral.ts'

import type { Remembering } from './call-checks.ts'

/** `auto`: only where the service cannot take the tools. A number: also for any request with more tools. */
type DeferTools = 'auto' | 'off' | number

const limits = { maxEntries: 10_000, maxBytes: 8 * 1024 * 1024, ttlMs: 6 * 60 * 60 * 1000 }
/** Names that are remembered for one conversation. */
const mostLoaded = 256

export interface DeferredTurn {
  plan: DeferralPlan
  /** What the model gets first. */
  request: TurnRequest
  remember(loaded: readonly string[]): void
}

export class ToolDeferral {
  readonly #setting: DeferTools
  readonly #loaded: BoundedMap<string, readonly string[]>

  /** `earlier`: its memory is shared. */
  constructor(setting: DeferTools, earlier?: ToolDeferral) {
    this.#setting = setting
    this.#loaded = earlier ? earlier.#loaded : new BoundedMap<string, readonly string[]>(limits)
  }

  get isOn(): boolean {
    return this.#setting !== 'off'
  }

  /** Undefined if the backend gets the request as it is. */
  defer(request: TurnRequest, backend: Backend, { caller, recall }: Remembering): DeferredTurn | undefined {
    const setting = this.#setting
    if (setting === 'off' || request.tools.length === 0) return undefined
    const { searches = false, ...facts } = backend.toolFacts?.(request) ?? {}
    const learned = recalled(recall, 'tool limit', () => facts.learnedLimit)
    const limit = learned ?? facts.limit
    const most = setting === 'auto' ? limit : Math.min(setting, limit ?? setting)
    if (request.toolSearch === undefined && (most === undefined || request.tools.length <= most))
      return undefined
    const key = conversationKey(request, caller)
    // A conversation that begins has loaded nothing, whatever another one with the same first words has.
    const isFirst = !request.messages.some(({ role }) => role === 'assistant')
    const remembered = isFirst ? [] : (recalled(recall, 'loaded tools', () => this.#loaded.get(key)) ?? [])
    const plan = planDeferral(request, { limit: most, searches, remembered })
    if (!plan) return undefined
    return {
      plan,
      request: requestWith(plan, plan.request, plan.loaded, true),
      remember: (loaded) => {
        const names = loaded.slice(-mostLoaded)
        const bytes = names.reduce((sum, name) => sum + 2 * name.length + 32, entryBytes)
        this.#loaded.set(key, names, bytes)
      },
    }
  }
}

/** Of several backends, the smallest number of tools that one has said it takes. */
export function learnedLimit(
  request: TurnRequest,
  targets: readonly { backend: Backend; model: string }[],
): number {
  const limits = targets.flatMap(
    ({ backend, model }) => backend.toolFacts?.({ ...request, model }).learnedLimit ?? [],
  )
  return Math.min(Number.POSITIVE_INFINITY, ...limits)
}

/** A conversation is recognised by its first words. Two that begin alike share what they have loaded, for the same caller only. */
function conversationKey({ messages }: TurnRequest, caller: Caller): string {
  const first = messages.find(({ role }) => role === 'user')
  const words =
    first?.role === 'user' ? first.content.map((part) => (part.type === 'text' ? part.text : '')) : []
  return createHash('sha256')
    .update(JSON.stringify([callerId(caller), ...words]))
    .digest('base64')
}

export const deferralNote = ({ core, deferred }: DeferralPlan): string =>
  `${deferred.length} of ${core.length + deferred.length} tools are deferred: the model finds them with a search of the gateway`
