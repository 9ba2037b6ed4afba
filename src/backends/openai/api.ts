// The two APIs of a service of this kind. Each writes requests in its own form and reads answers with its own reader.

import type { Fields } from '../../base/json.ts'
import type { TurnContext } from '../../core/backend.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { TurnRequest } from '../../core/request.ts'
import type { UpstreamRefusal } from '../../protocols/errors/upstream-error.ts'
import type { StrictSetting } from '../../protocols/openai-chat/schemas-out.ts'
import type { TurnReader } from '../../protocols/streams/reader.ts'

import type { ReasoningSources } from './kept-reasoning.ts'

export type ApiName = 'chat' | 'responses'

export interface ApiOptions {
  /** The configured name of the backend. */
  name: string
  /** As in a URL: with the port unless that is the scheme's default. */
  host: string
  baseUrl?: string | undefined
  /** Whether the service is asked to hold its model to the schemas of tools. Default: auto. */
  strict?: StrictSetting | undefined
  /** Several keys share the account. */
  isShared?: boolean | undefined
  /** Default: those of this backend alone. */
  reasoningSources?: ReasoningSources | undefined
}

export interface Api {
  /** Appended to the base URL. */
  readonly path: string
  /** The dialect by its name in `TurnRequest.origin`. */
  readonly dialect: string
  open(request: TurnRequest, context: TurnContext): ApiTurn
  /** The list of models may say what server this is, and requests of this kind would profit. */
  isUnknown?(request: TurnRequest): boolean
  /** The most tools that the service takes, if one of its refusals has said so. */
  learnedLimit?(model: string): number | undefined
  /** Gets the service's list of models. */
  onListed?(entries: readonly Fields[]): void
}

/** One turn over one API. */
export interface ApiTurn {
  /** Another one after each correction. */
  reader(): TurnReader
  /** The text of the request's body. */
  text(): string | Buffer
  /** Gets the JSON text of every event and answer before it is read. */
  onJson?: ((text: string) => void) | undefined
  toError(refusal: UpstreamRefusal): GatewayError
  /** The answer that the last refusal holds; undefined if it holds none. */
  rescue?(): Fields | undefined
  /** Changes the request as a refusal asks for; false if the refusal does not say how. */
  correct(error: GatewayError): boolean
  /** Gets each batch before it is sent: the client may reply immediately. */
  onEvents(events: TurnEvent[]): TurnEvent[]
}
