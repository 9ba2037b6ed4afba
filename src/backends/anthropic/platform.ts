// Where Claude is served: by Anthropic, or by a cloud with its own paths, credentials, limits and errors.

import type { Model } from '../../core/backend.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { AnthropicModel } from '../../protocols/anthropic-messages/models.ts'
import type { CloudRequest, MessagesRequest } from '../../protocols/claude-clouds/cloud-request.ts'
import type { UpstreamRefusal } from '../../protocols/errors/upstream-error.ts'

export interface Platform {
  /** Identifies the account, for what is kept of its answers. */
  readonly account: string
  /** Headers of every request. `version`: the API version that the client states. */
  headers(version: string): Record<string, string>
  /** What a model takes here, if that differs from Anthropic. */
  facts?(model: AnthropicModel): AnthropicModel
  /** False: the field `block_binding` is not known here. */
  readonly bindsBlocks: boolean
  /** False: a cloud, which gets no headers about the client. */
  readonly tellsClient?: boolean
  /** False: web search and fetch are refused here. */
  readonly runsWebTools?: boolean
  /** Whether deferred tools are searched here. Absent: always. */
  searchesTools?(model: string): boolean
  sortBetas(features: readonly string[]): { sent: string[]; leftOut: string[] }
  toMessages(request: MessagesRequest): CloudRequest
  toCount(request: MessagesRequest): CloudRequest
  readCount(answer: unknown): number | undefined
  /** The service cannot count for this model, which is no failure. */
  cannotCount?(error: GatewayError): boolean
  toError(refusal: UpstreamRefusal): GatewayError
  /** Absent: `/v1/models` lists them. */
  models?(signal: AbortSignal): Promise<Model[]>
  close?(): Promise<void>
}
