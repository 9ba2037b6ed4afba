// What a door asks of a backend, whatever dialect it was asked in.
//
// Invariants (history.ts establishes them, so that no backend repairs again):
// - Each tool call of an assistant message is answered by exactly one result, and all results of that message stand
//   in the one `tool` message directly behind it. No result answers anything else.
// - Call ids are unique within one assistant message; `input` is the text of a JSON object.
// - No message is empty.

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

export type UserPart = TextPart | ImagePart | FilePart | AudioPart
export type AssistantPart = TextPart | ReasoningPart | ToolCallPart
export type ResultPart = TextPart | ImagePart | FilePart

export interface ToolResult {
  callId: string
  content: ResultPart[]
  isError?: boolean
  cache?: CacheHint
  source?: Source
}

/**
 * The message as it came, in the dialect of `origin`, where nothing in it had to be put right: a backend of that dialect
 * sends it on, so that one repair does not change all the others, and with them the prompt cache.
 */
type Source = Readonly<Record<string, unknown>>

export type Message =
  | { role: 'system'; content: TextPart[]; source?: Source }
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
}

export type ToolChoice =
  | { type: 'auto' }
  | { type: 'none' }
  | { type: 'required' }
  | { type: 'tool'; name: string }

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

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
  toolChoice?: ToolChoice
  parallelToolCalls?: boolean
  maxOutputTokens?: number
  temperature?: number
  topP?: number
  topK?: number
  stop?: string[]
  reasoning?: { effort: ReasoningEffort }
  /** An effort whose name is not known here, in place of `reasoning`: for services that may know it. */
  otherEffort?: string
  responseFormat?: ResponseFormat
  user?: string
  /** The folder the client works in, where it says so. */
  workspace?: string
  stream: boolean
  /**
   * The body as it came, in the dialect of that name. A backend that speaks the same dialect starts from it, so that
   * fields the canonical model does not know still arrive; `faithful` says that the messages need no rewriting.
   */
  origin: {
    dialect: string
    body: Readonly<Record<string, unknown>>
    /** The text that `body` was read from. */
    text?: string
    faithful: boolean
    /** What the client has switched on for this request, by the dialect's own names. */
    features?: readonly string[]
    /** The version of the dialect that the client speaks, where it says so. */
    version?: string
  }
}
