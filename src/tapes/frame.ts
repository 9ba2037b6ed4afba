// What is on a tape: both sides of the wire, piece by piece, each with its time. docs/tapes.md is this file in words.

/** Text, or bytes that are none. */
export type Content = { text: string } | { base64: string }

export type Headers = Record<string, string>

/** A client asks the gateway, and is answered. */
type ClientFrame =
  | { side: 'client'; do: 'request'; method: string; path: string; headers: Headers; body: string }
  | { side: 'client'; do: 'response'; status: number; headers: Headers }
  | { side: 'client'; do: 'write'; text: string }
  | { side: 'client'; do: 'end' }
  /** The client went away before the end. */
  | { side: 'client'; do: 'gone' }

/** The gateway asks a service over HTTP, and is answered. `exchange` numbers the requests of a tape, from 1. */
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
  /** As configured. */
  backend: string
  origin: string
  path: string
  headers: Headers
}

/** A run of Cursor's agent: one stream, whose messages go both ways. They are the payloads, without envelopes. */
export type RunFrame =
  | ({ side: 'run'; do: 'open'; exchange: number; transport: 'http2' | 'sse' } & UpstreamTarget)
  | { side: 'run'; do: 'sent'; exchange: number; base64: string }
  | { side: 'run'; do: 'received'; exchange: number; base64: string }
  | { side: 'run'; do: 'end'; exchange: number }
  | { side: 'run'; do: 'error'; exchange: number; message: string }

/** What the gateway itself knew and decided. */
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
      /** What the configuration says of how this client is answered, where that is not the usual. */
      manner?: {
        toolArguments?: 'whole' | 'streamed' | undefined
        customCalls?: 'function' | 'custom' | undefined
      }
    }
  /** Where the turn runs: once for each try. */
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

/** `at`: milliseconds since the tape began. `turn`: whose it is; a tape of a run that outlived an answer has several. */
export type Frame = { at: number; turn: string } & FrameBody

/** The first line of a tape. */
export interface TapeHead {
  /** The version of the format. */
  tape: 1
  /** Of the program that made it. */
  dragoman: string
  recordedAt: string
  /** Recorded of a real turn, or made by hand. */
  origin: 'recorded' | 'made'
  /** The turn whose run this one goes on with: its tape is needed to replay this one. */
  continues?: string
  /** Something was left out, for it was too long, or for an earlier turn of its run was not watched. */
  cut?: true
  title?: string
}
