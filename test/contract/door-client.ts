// The interface of an official SDK for a door's contract: the same requests and answers in every dialect.

export interface DoorTool {
  name: string
  description: string
  schema: Record<string, unknown>
}

export interface DoorResult {
  callId: string
  text: string
  isError?: boolean
  /** A PNG in base64. */
  image?: string
}

/** A conversation as the client keeps it. */
export type DoorTurn = { user: string } | { answer: DoorAnswer } | { results: readonly DoorResult[] }

export interface DoorAsk {
  model: string
  turns: readonly DoorTurn[]
  tools?: readonly DoorTool[]
  stream: boolean
  /** Asks to see the model's thinking. */
  thinking?: boolean
  signal?: AbortSignal
  headers?: Record<string, string>
  /** In place of the network. */
  fetch?: typeof fetch
  /** Called with the first words of a stream. */
  onText?(): void
}

export interface DoorAnswer {
  text: string
  thinking: string
  /** What it refuses in words of their own kind. */
  refusal: string
  calls: { id: string; name: string; input: unknown }[]
  end: 'stop' | 'calls' | 'length' | 'refusal' | undefined
  inputTokens: number
  outputTokens: number
  /** The message as the client puts it into its history. */
  native: unknown
}

export interface DoorClient {
  name: string
  /** The field that holds the conversation. */
  conversation: string
  /** Thinking shows in a place that clients pass over, so it is always there. */
  alwaysThinks?: true
  /** Its results say whether they are errors. */
  flagsErrors?: true
  /** No end of its dialect says that the service refused. */
  hidesRefusals?: true
  /** Its events end with one line break. */
  isLines?: true
  /** A refusal in words has a place of its own; else it is text and the end says what it is. */
  refusesApart?: true
  ask(url: string, request: DoorAsk): Promise<DoorAnswer>
  /** The events of a stream as the client's own reader gives them. */
  events(response: Response): AsyncIterable<unknown>
  /** What a client that is stricter than the SDK would stumble over in a stream. */
  problems(response: Response): Promise<string[]>
  /** What the client's own error says; undefined for what is none of its errors. */
  failure(error: unknown): { status: number | undefined; message: string } | undefined
}
