// The streams of one run: the first, and one for each time that the run is continued after a break.

import { randomUUID } from 'node:crypto'
import type { CursorCredentials } from '../../credentials/cursor.ts'
import type { Identity } from './identity.ts'
import { RecordingStream, type StreamRecorder } from './recording-stream.ts'
import type { ToolHeaders } from './toolsets.ts'
import type { RunStream, RunTransport } from './transport.ts'
import type { Transports } from './transports.ts'

export interface StreamSources {
  backend: string
  credentials: CursorCredentials
  identity: Identity
  transports: Transports
}

/** What all streams of one run share. */
interface SharedByStreams {
  /** The token of the first stream. */
  token: string
  toolHeaders: ToolHeaders
  signal: AbortSignal
  recorder: StreamRecorder | undefined
}

/** Lives as long as the run, so it references no request. */
export class RunStreams {
  readonly #sources: StreamSources
  readonly #shared: SharedByStreams
  readonly #originalRequestId = randomUUID()
  #token: string

  constructor(sources: StreamSources, shared: SharedByStreams) {
    this.#sources = sources
    this.#shared = shared
    this.#token = shared.token
  }

  first(transport: RunTransport): Promise<RunStream> {
    return this.#open(transport, this.#originalRequestId)
  }

  /** Not a method: a closure that calls it would keep its scope, and with it the request. */
  readonly another = async (): Promise<RunStream> => {
    const { transports, credentials } = this.#sources
    const [{ transport }, token] = await Promise.all([
      transports.choose(),
      credentials.accessToken(this.#shared.signal),
    ])
    this.#token = token
    return this.#open(transport, randomUUID())
  }

  async #open(transport: RunTransport, requestId: string): Promise<RunStream> {
    const { backend, identity } = this.#sources
    const { toolHeaders, signal, recorder } = this.#shared
    const headers = {
      'x-original-request-id': this.#originalRequestId,
      ...toolHeaders,
      ...identity(this.#token),
    }
    const stream = await transport.open({ headers, renewHeaders: this.#renewHeaders, requestId, signal })
    if (!recorder) return stream
    recorder.open({ backend, ...transport.place, headers, transport: transport.name })
    return new RecordingStream(stream, recorder)
  }

  readonly #renewHeaders = async () => {
    const { credentials, identity } = this.#sources
    credentials.reject(this.#token)
    this.#token = await credentials.accessToken(this.#shared.signal)
    return identity(this.#token)
  }
}
