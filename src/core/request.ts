// TurnRequest: what a door asks of a backend, independent of the client's dialect.
//
// Invariants (history.ts establishes them, so that no backend has to repair):
// - Each tool call of an assistant message has exactly one result, and all results of that message are in the one `tool` message
//   directly after it. There are no other results.
// - Call ids are unique within one assistant message; `input` is the text of a JSON object.
// - No message is empty.

import type { Member } from '../base/json-text.ts'
import type { GatewayError } from './errors.ts'
import type { WebPart, WebTools } from './web.ts'

/** A prompt-cache breakpoint that the client set on this element. */
export interface CacheHint {
  ttl?: '5m' | '1h'
}

export interface TextPart {
  type: 'text'
  text: string
  cache?: CacheHint
}

export type MediaSource = { url: string } | { mediaType: string; data: string } | { fileId: string }

export interface ImagePart {
  type: 'image'
  source: MediaSource
  detail?: string
  cache?: CacheHint
}

export interface FilePart {
  type: 'file'
  source: MediaSource
  filename?: string
  cache?: CacheHint
}

export interface AudioPart {
  type: 'audio'
  format: string
  data: string
}

export interface ReasoningPart {
  type: 'reasoning'
  text: string
  signature?: string
  redacted?: string
}

export interface ToolCallPart {
  type: 'tool-call'
  callId: string
  name: string
  input: string
}

/** Content that only its own dialect knows. It goes back to a service of that dialect unchanged, and to no other. */
export interface OpaquePart {
  type: 'opaque'
  dialect: string
  value: Readonly<Record<string, unknown>>
  /** What services of other dialects get instead. */
  text?: string
  /** The error of services of other dialects, if the part must not be left out. */
  error?: GatewayError
  /** Set if the part is a search of deferred tools by the service: the call has the query, the result the names of the tools. */
  search?: { readonly id: string; readonly query?: string; readonly found?: readonly string[] }
  /** Set in the result of a search by the client: the name of a tool that it loads. */
  loads?: string
  /** Set if the part is of a web search or fetch by the service. */
  web?: WebPart
}

/** A tool that only its own dialect knows, such as a tool that the service itself runs. */
export interface OpaqueTool {
  dialect: string
  kind: string
  name: string | undefined
  value: Readonly<Record<string, unknown>>
  /** Other services miss nothing without it: it is left out without a note. */
  isFiller?: boolean
}

export type UserPart = TextPart | ImagePart | FilePart | AudioPart | OpaquePart
export type AssistantPart = TextPart | ReasoningPart | ToolCallPart | OpaquePart
export type ResultPart = TextPart | ImagePart | FilePart | OpaquePart

export interface ToolResult {
  callId: string
  content: ResultPart[]
  isError?: boolean
  cache?: CacheHint
  source?: Source
}

/**
 * The original message in the dialect of `origin`, if it needed no repair. A backend of that dialect forwards it, so that a repair of
 * one message does not change the others, and with them the prompt cache.
 */
type Source = Readonly<Record<string, unknown>>

export type Message =
  | { role: 'system'; content: (TextPart | OpaquePart)[]; source?: Source }
  | { role: 'user'; content: UserPart[]; source?: Source }
  | { role: 'assistant'; content: AssistantPart[]; source?: Source }
  | { role: 'tool'; results: ToolResult[] }

export interface Tool {
  name: string
  description?: string
  /** JSON Schema of an object. */
  schema: Record<string, unknown>
  strict?: boolean
  cache?: CacheHint
  /** The client marked it `defer_loading`: with `TurnRequest.toolSearch`, the model has it only after a search. */
  deferred?: true
  /** Set for a tool that takes free text: its own description and format. `schema` wraps that text into one argument. */
  custom?: { readonly description?: string; readonly format?: Readonly<Record<string, unknown>> }
}

/** The search of deferred tools that the service of a dialect offers. */
export interface ToolSearch {
  /** The opaque tool that asks for it. */
  tool: OpaqueTool
  /** The name of the search tool, for the model. */
  name: string
  /** What the model searches with. */
  by: 'words' | 'pattern'
}

export type ToolChoice =
  | { type: 'auto' }
  | { type: 'none' }
  | { type: 'required' }
  | { type: 'tool'; name: string }

/** From least to most. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type ReasoningEffort = (typeof reasoningEfforts)[number]

export type ResponseFormat =
  | { type: 'json' }
  | {
      type: 'json-schema'
      name: string
      schema: Record<string, unknown>
      strict?: boolean
      description?: string
    }

export interface TurnRequest {
  /** The backend's own name for the model. */
  model: string
  messages: Message[]
  tools: Tool[]
  opaqueTools?: readonly OpaqueTool[]
  /** Tools that the conversation defines in its dialect's own way. Services of other dialects get them with `tools`. */
  inlineTools?: readonly Tool[]
  /** The client relies on the service to search the deferred tools. */
  toolSearch?: ToolSearch
  /** Web search and fetch that the service should run, which are among `opaqueTools`. */
  webTools?: WebTools
  /** Some messages have opaque parts. */
  hasOpaqueParts?: boolean
  /** What only a service of the dialect of `origin` can do and must not be left out, as the errors of other services. */
  needs?: readonly GatewayError[]
  toolChoice?: ToolChoice
  parallelToolCalls?: boolean
  maxOutputTokens?: number
  temperature?: number
  topP?: number
  topK?: number
  stop?: string[]
  reasoning?: { effort: ReasoningEffort }
  /** An effort that the gateway does not know, instead of `reasoning`, for services that may know it. */
  otherEffort?: string
  responseFormat?: ResponseFormat
  user?: string
  /** The client's working folder, if it sends one. */
  workspace?: string
  stream: boolean
  /**
   * The original body and its dialect. A backend of the same dialect starts from it, so that fields outside of the canonical model
   * arrive too. `faithful`: the messages need no rewriting.
   */
  origin: {
    dialect: string
    body: Readonly<Record<string, unknown>>
    /** The JSON text of `body`. */
    text?: string
    /** The places of its members in `text`, if they are known. */
    members?: readonly Member[]
    faithful: boolean
    /** Beta features of this request, by the dialect's names. */
    features?: readonly string[]
    /** The client's headers in the dialects' own names, for services of the same dialect. */
    headers?: Readonly<Record<string, string>> | undefined
    /** The client's version of the dialect, if it sends one. */
    version?: string
    /** The conversation in the dialect's own form, if parts of it are not in `body`: the client continues a stored one. */
    conversation?: readonly Readonly<Record<string, unknown>>[]
    /** Notes about what other dialects lack. A service of the dialect gets it, so its backend withdraws them. */
    translationNotes?: readonly string[]
  }
}
