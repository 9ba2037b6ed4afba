// The tape format: frames of both sides of the wire, each with its time. docs/tapes.md describes it.

/** Text, or base64 where the bytes are not valid UTF-8. */
export type Content = { text: string } | { base64: string }

export type Headers = Record<string, string>

/** A request to the gateway and its answer. */
type ClientFrame =
  | { side: 'client'; do: 'request'; method: string; path: string; headers: Headers; body: string }
  | { side: 'client'; do: 'response'; status: number; headers: Headers }
  | { side: 'client'; do: 'write'; text: string }
  | { side: 'client'; do: 'end' }
  /** The client left before the end. */
  | { side: 'client'; do: 'gone' }

/** An HTTP request of the gateway to a service, and its answer. `exchange` numbers the requests of a tape, from 1. */
export type UpstreamFrame =
  | ({ side: 'upstream'; do: 'request'; exchange: number } & UpstreamTarget & {
        method: string
        body: string
      })
  | { side: 'upstream'; do: 'response'; exchange: number; status: number; headers: Headers }
  | ({ side: 'upstream'; do: 'data'; exchange: number } & Content)
  | { side: 'upstream'; do: 'end'; exchange: number }
  | { side: 'upstream'; do: 'error'; exchange: number; message: string }

interface UpstreamTarget {
  /** The configured name. */
  backend: string
  origin: string
  path: string
  headers: Headers
}

/** A Cursor run: one stream with messages in both directions. The frames hold payloads without envelopes. */
export type RunFrame =
  | ({ side: 'run'; do: 'open'; exchange: number; transport: 'http2' | 'sse' } & UpstreamTarget)
  | { side: 'run'; do: 'sent'; exchange: number; base64: string }
  | { side: 'run'; do: 'received'; exchange: number; base64: string }
  | { side: 'run'; do: 'end'; exchange: number }
  | { side: 'run'; do: 'error'; exchange: number; message: string }

/** Facts and decisions of the gateway. */
export type GatewayFrame =
  | {
      side: 'gateway'
      do: 'begin'
      door: string
      model: string
      stream: boolean
      key: string
      client?: string
      createdAt: number
      /** The configured answer settings for this client, where they differ from the defaults. */
      manner?: {
        toolArguments?: 'whole' | 'streamed' | undefined
        customCalls?: 'function' | 'custom' | undefined
      }
    }
  /** The target of an attempt; one frame per attempt. */
  | {
      side: 'gateway'
      do: 'target'
      backend: string
      kind: string
      model: string
      settings: Record<string, unknown>
    }
  | { side: 'gateway'; do: 'session'; state: 'live' | 'resumed' | 'fresh'; id: string; why?: string }
  | { side: 'gateway'; do: 'note'; text: string }
  | {
      side: 'gateway'
      do: 'finish'
      outcome: string
      calls: number
      inputTokens: number
      outputTokens: number
      estimated?: true
      error?: { code: string; message: string }
    }

export type FrameBody = ClientFrame | UpstreamFrame | RunFrame | GatewayFrame

/** `at`: milliseconds since the tape began. `turn`: the turn of this frame; a tape of a run that outlived an answer has several. */
export type Frame = { at: number; turn: string } & FrameBody

/** The first line of a tape. */
export interface TapeHead {
  /** The format version. */
  tape: 1
  /** The version of the program that made the tape. */
  dragoman: string
  recordedAt: string
  /** Recorded from a real turn, or made by hand. */
  origin: 'recorded' | 'made'
  /** The turn whose run this one continues. A replay needs its tape too. */
  continues?: string
  /** Part of the turn is missing: it was too long, or an earlier turn of its run was not recorded. */
  cut?: true
  title?: string
}
