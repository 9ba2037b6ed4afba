// The tape format: frames of both sides of the wire, each with its time. docs/tapes.md describes it.

import type { ErrorFacts } from '../core/error-facts.ts'
import type { Outcome } from '../protocols/client-tools/job.ts'
import type { LocalJob } from '../protocols/local-tools/calls.ts'

/** Text, or base64 where the bytes are not valid UTF-8. */
export type Content = { text: string } | { base64: string }

export type Headers = Record<string, string>

/** A request to the gateway and its answer. */
type ClientFrame =
  | {
      side: 'client'
      do: 'request'
      method: string
      path: string
      headers: Headers
      body: string
      /** The request was refused before its body was read to the end; `body` is the beginning, or empty. */
      bodyCut?: true
    }
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
  /** `joined`: it was read together with the piece before. */
  | ({ side: 'upstream'; do: 'data'; exchange: number; joined?: true } & Content)
  | { side: 'upstream'; do: 'end'; exchange: number }
  /** `cause`: how the connection failed, such as ECONNRESET. `error`: any other failure, such as a clock that ran out. */
  | {
      side: 'upstream'
      do: 'error'
      exchange: number
      message: string
      cause?: string
      error?: ErrorFacts
    }

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
  | { side: 'run'; do: 'received'; exchange: number; base64: string; joined?: true }
  /** A clock of the gateway has decided something, such as that no more calls come. */
  | { side: 'run'; do: 'clock'; exchange: number }
  | { side: 'run'; do: 'end'; exchange: number }
  /** `taken`: how many messages had reached the service. `opening`: there was no stream. */
  | {
      side: 'run'
      do: 'error'
      exchange: number
      message: string
      error?: ErrorFacts
      taken?: number
      opening?: true
    }

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
      /** The request came over a WebSocket. */
      socket?: true
      createdAt: number
      /** The configured answer settings for this client, where they differ from the defaults. */
      manner?: {
        toolArguments?: 'whole' | 'streamed' | undefined
        customCalls?: 'function' | 'custom' | undefined
      }
      /** The turn whose request was sent again, by a user of the inspector. */
      resentFrom?: string
    }
  /** The target of an attempt; one frame per attempt. */
  | {
      side: 'gateway'
      do: 'target'
      backend: string
      kind: string
      model: string
      /** The configured base URL. */
      address?: string
      settings: Record<string, unknown>
    }
  /** An attempt failed before any output, or its target was skipped because its breaker is open. */
  | {
      side: 'gateway'
      do: 'failure'
      backend: string
      model: string
      code: string
      message: string
      /** Of the service's answer. */
      status?: number
      next: 'retry' | 'fallback' | 'give up'
      /** The pause before the retry. */
      waitMs?: number
      skipped?: true
      /** The whole error, for a replay. */
      error?: ErrorFacts
    }
  | { side: 'gateway'; do: 'session'; state: 'live' | 'resumed' | 'fresh'; id: string; why?: string }
  /** What was remembered of an earlier turn and used in this one; `look` counts the looks into that memory, from 1. */
  | { side: 'gateway'; do: 'recall'; memory: string; look: number; value: unknown }
  | { side: 'gateway'; do: 'note'; text: string }
  | {
      side: 'gateway'
      do: 'finish'
      outcome: string
      calls: number
      inputTokens: number
      outputTokens: number
      /** Parts of the two totals, if the service reports them. */
      cacheReadTokens?: number
      cacheWriteTokens?: number
      reasoningTokens?: number
      estimated?: true
      error?: { code: string; message: string }
    }

/** The gateway's own tools: what was offered, and each run with its output and its outcome. `run` numbers the runs, from 1. */
export type ToolFrame =
  | {
      side: 'tool'
      do: 'offer'
      tools: string[]
      root: string
      settings: { maxRuns: number; progress: 'reasoning' | 'text' | 'off'; outputBytes: number }
    }
  | { side: 'tool'; do: 'begin'; run: number; job: LocalJob }
  | { side: 'tool'; do: 'output'; run: number; stream: 'stdout' | 'stderr'; text: string }
  | { side: 'tool'; do: 'end'; run: number; outcome: Outcome }

export type FrameBody = ClientFrame | UpstreamFrame | RunFrame | ToolFrame | GatewayFrame

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
  /** `yes`, or `no: ` and the reason why it cannot be replayed. Absent on tapes of earlier versions. */
  replay?: string
  title?: string
}
