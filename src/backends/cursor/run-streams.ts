// The streams of one run: the first, and one for each time that the run is continued after a break.

import { randomUUID } from 'node:crypto'
import { GatewayError } from '../../core/errors.ts'
import type { CursorCredentials } from '../../credentials/cursor.ts'
import type { Identity } from './identity.ts'
import { RecordingStream, type StreamRecorder } from './recording-stream.ts'
import type { Roads } from './roads.ts'
import type { ToolHeaders } from './toolsets.ts'
import type { RunStream, RunTransport } from './transport.ts'

export interface StreamSources {
  backend: string
  credentials: CursorCredentials
  identity: Identity
  transports: Roads
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
    const opening = transport.open({ headers, renewHeaders: this.#renewHeaders, requestId, signal })
    if (!recorder) return opening
    const opened = { backend, ...transport.place, headers, transport: transport.name }
    try {
      const stream = await opening
      recorder.open(opened)
      return new RecordingStream(stream, recorder)
    } catch (error) {
      recorder.open(opened)
      recorder.error(GatewayError.from(error))
      throw error
    }
  }

  readonly #renewHeaders = async () => {
    const { credentials, identity } = this.#sources
    credentials.reject(this.#token)
    this.#token = await credentials.accessToken(this.#shared.signal)
    return identity(this.#token)
  }
}
