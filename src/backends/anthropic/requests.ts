// The requests of one Anthropic backend, and the state that they need: facts about its models, kept thinking, and features that the
// service does not know.

import { BoundedMap } from '../../base/bounded-map.ts'
import type { Fields } from '../../base/json.ts'
import type { TurnContext } from '../../core/backend.ts'
import { type Caller, callerId } from '../../core/caller.ts'
import type { CollectedTurn } from '../../core/collect.ts'
import type { GatewayError } from '../../core/errors.ts'
import { type Recall, recalled } from '../../core/recall.ts'
import type { TurnRequest } from '../../core/request.ts'
import {
  boundBlocks,
  droppedBlocks,
  isBound,
  refusesBinding,
} from '../../protocols/anthropic-messages/block-binding.ts'
import { listedFacts } from '../../protocols/anthropic-messages/capabilities.ts'
import { dialect } from '../../protocols/anthropic-messages/dialect.ts'
import { refusesStrict } from '../../protocols/anthropic-messages/errors.ts'
import { type AnthropicModel, anthropicModel } from '../../protocols/anthropic-messages/models.ts'
import type { ToolNames } from '../../protocols/anthropic-messages/names.ts'
import { thinkingId } from '../../protocols/anthropic-messages/preserved-thinking.ts'
import { type TurnPosition, toAnthropicRequest } from '../../protocols/anthropic-messages/request-out.ts'
import { anthropicIds } from '../../protocols/anthropic-messages/stored-ids.ts'
import { bodyBytes, hasOddInput } from '../../protocols/requests/body-text.ts'
import { headersFor } from '../../protocols/requests/dialect-headers.ts'
import type { StrictTools } from '../../protocols/tool-schemas/strict-tools.ts'
import { toolsetDigest } from '../../protocols/tool-schemas/toolset.ts'
import { StoredIds } from '../http/stored-ids.ts'
import { KeptThinking, type Owner } from './kept-thinking.ts'
import type { Platform } from './platform.ts'

export interface UpstreamRequest {
  body: Record<string, unknown>
  headers: Record<string, string>
  names: ToolNames
  model: AnthropicModel
  position: TurnPosition | undefined
  /** The model is expected to think. */
  thinks: boolean
  /** The tools for which `strict` is asked. */
  strict: StrictTools | undefined
}

interface Account {
  name: string
  platform: Platform
  headers: Record<string, string>
  promptCache: 'auto' | 'off'
  strict?: 'auto' | 'on' | 'off' | undefined
  /** Headers that choose the account and may come from the client. */
  accountHeaders?: readonly string[] | undefined
  /** Several keys share the account. */
  isShared?: boolean | undefined
}

type Note = (text: string) => void

interface KnownFacts {
  listed: Partial<AnthropicModel> | undefined
  facts: AnthropicModel
}

export class AnthropicRequests {
  readonly #account: Account
  readonly #platform: Platform
  readonly #thoughts = new KeptThinking()
  readonly storedIds: StoredIds | undefined
  #listed = new Map<string, Partial<AnthropicModel>>()
  /** To find them takes 5 µs. Names of models come from clients. */
  readonly #known = new BoundedMap<string, KnownFacts>({ maxEntries: 500, keeps: 'newest' })
  /** False once the service has refused the field. */
  #bindsBlocks: boolean
  /** Models and sets of tools for which the service refused `strict`. */
  readonly #notStrict = new BoundedMap<string, true>(lessonLimits)

  constructor(account: Account) {
    this.#account = account
    this.storedIds = account.isShared ? new StoredIds(account.name, anthropicIds) : undefined
    this.#platform = account.platform
    this.#bindsBlocks = account.platform.bindsBlocks
  }

  /** `version`: the API version that the client states. The operator's configured header overrides it. */
  headers(version = defaultVersion): Record<string, string> {
    return { ...this.#platform.headers(version), ...this.#account.headers }
  }

  onListed(entries: readonly Fields[]): void {
    this.#listed = new Map(entries.map((entry) => [String(entry.id), listedFacts(entry)]))
  }

  factsOf(model: string, recall?: Recall): AnthropicModel {
    const listed = recalled(recall, 'listed', () => this.#listed.get(model))
    const known = this.#known.get(model)
    if (known && known.listed === listed) return known.facts
    const facts = { ...anthropicModel(model), ...listed }
    const all = this.#platform.facts?.(facts) ?? facts
    this.#known.set(model, { listed, facts: all })
    return all
  }

  write(request: TurnRequest, { caller, recall }: TurnContext, note: Note): UpstreamRequest {
    const { accountHeaders } = this.#account
    const own = this.headers(request.origin.version)
    const { tellsClient } = this.#platform
    const headers = headersFor('anthropic', request.origin, own, { accounts: accountHeaders, tellsClient })
    const model = forVersion(this.factsOf(request.model, recall), headers['anthropic-version'])
    const owner = this.#owner(request, caller)
    let strict: StrictTools | undefined
    const { body, names, betas, position } = toAnthropicRequest(request, {
      model,
      asksStrict: this.#account.strict === 'on' && !this.#refusesStrict(request),
      onStrict: (tools) => {
        strict = tools
      },
      recall: (turn) => recalled(recall, 'thinking', () => this.#thoughts.recall(owner, turn)),
      isRefused: (id) =>
        recalled(recall, 'refused', () => this.#thoughts.isRefused(id) || undefined) === true,
      bindsBlocks: this.#bindsBlocks,
      promptCache: this.#account.promptCache,
      note,
    })
    this.storedIds?.check(caller.key, body)
    const thinks = body.thinking !== undefined || model.thinksByDefault
    const all = withBetas(headers, this.#betasOf(request, note), betas)
    return { body, names, position, model, headers: all, thinks, strict }
  }

  keep(request: TurnRequest, { caller }: TurnContext, sent: UpstreamRequest, turn: CollectedTurn): void {
    const { position, model, thinks } = sent
    const owner = this.#owner(request, caller)
    this.#thoughts.keep(owner, turn, { position, unsigned: !model.recognised, unasked: !thinks })
  }

  /** The service dropped replayed thinking. It would do so again, together with all later thinking. */
  onTransformations(body: Readonly<Fields>, entries: readonly unknown[]): void {
    for (const block of droppedBlocks(body, entries)) this.#thoughts.refuse(thinkingId(block))
  }

  /** True if the refusal is about replayed thinking. The lesson is kept, so a rewritten request differs. */
  isCurable({ origin }: TurnRequest, body: Readonly<Fields>, { message }: GatewayError): boolean {
    if (origin.dialect === dialect) return false
    const refused = boundBlocks(body, message)
    for (const block of refused) this.#thoughts.refuse(thinkingId(block))
    if (refused.length > 0) return true
    if (!isBound(body) || !refusesBinding(message)) return false
    this.#bindsBlocks = false
    return true
  }

  /** True if the refusal is about strict tools that the gateway asked for. They are not asked for again. */
  refusedStrict(request: TurnRequest, { strict }: UpstreamRequest, { message }: GatewayError): boolean {
    if (strict === undefined || !refusesStrict(message)) return false
    this.#notStrict.set(toolsKey(request), true)
    return true
  }

  #refusesStrict(request: TurnRequest): boolean {
    return this.#notStrict.size > 0 && this.#notStrict.get(toolsKey(request)) === true
  }

  #owner({ model }: TurnRequest, caller: Caller): Owner {
    return { caller: `${this.#platform.account} ${callerId(caller)}`, model }
  }

  #betasOf({ origin }: TurnRequest, note: Note): string[] {
    const { sent, leftOut } = this.#platform.sortBetas(
      origin.dialect === dialect ? (origin.features ?? []) : [],
    )
    if (leftOut.length > 0) note(`not forwarded from anthropic-beta: ${leftOut.join(', ')}`)
    return sent
  }
}

const toolsKey = ({ model, tools }: TurnRequest) => `${model} ${toolsetDigest(tools)}`

/** What was learned expires, because services change. */
const lessonLimits = { maxEntries: 1_000, ttlMs: 6 * 60 * 60 * 1000 }

export const textOf = (body: Readonly<Fields>, request: TurnRequest): string | Buffer =>
  bodyBytes(body, request.origin, hasOddInput(request))

const defaultVersion = '2023-06-01'
/** From this version on no model takes sampling parameters. */
const withoutSampling = '2026-10-21'

const forVersion = (model: AnthropicModel, version = defaultVersion): AnthropicModel =>
  version >= withoutSampling ? { ...model, sampling: 'none' } : model

/** The operator's betas, the forwarded betas of the client, and the betas that the request needs. */
function withBetas(
  headers: Record<string, string>,
  sent: readonly string[],
  needed: readonly string[],
): Record<string, string> {
  const betas = [headers['anthropic-beta'] ?? [], sent, needed].flat()
  return betas.length === 0 ? headers : { ...headers, 'anthropic-beta': betas.join(',') }
}
