// A sink that sends each event of a server-sent stream as one WebSocket message. An answer that is no stream is an error of the
// request: it goes out as one `error` message with its status.

import type { Sink } from '../../core/sink.ts'
import type { WebSocketConnection } from './connection.ts'

const dataMark = '\ndata: '

export class SocketSink implements Sink {
  readonly #connection: WebSocketConnection
  /** Before the first field of each message: `"stream_id":"…",`, or nothing. */
  readonly #prefix: string
  #status = 0
  #isStream = false
  #ended = false
  /** The request was refused, or its answer failed. */
  failed = false

  constructor(connection: WebSocketConnection, streamId: string | undefined) {
    this.#connection = connection
    this.#prefix = streamId === undefined ? '' : `"stream_id":${JSON.stringify(streamId)},`
  }

  get started(): boolean {
    return this.#status !== 0
  }

  start(status: number, headers: Record<string, string>): void {
    this.#status = status
    this.#isStream = (headers['content-type'] ?? '').startsWith('text/event-stream')
  }

  write(text: string): boolean {
    if (!this.#isStream || this.#ended) return true
    let begin = 0
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n', begin)) {
      this.#event(text.slice(begin, end))
      begin = end + 2
    }
    return !this.isBehind
  }

  /** Comments have no place here. `response.failed` follows an `error`, and tells the same: clients take either for the end. */
  #event(text: string): void {
    const at = text.indexOf(dataMark)
    if (at < 0 || text.startsWith('event: error\n') || text.includes('\nevent: error\n')) return
    if (text.includes('event: response.failed\n')) this.failed = true
    this.#send(text.slice(at + dataMark.length))
  }

  #send(json: string): void {
    this.#connection.send(this.#prefix === '' ? json : `{${this.#prefix}${json.slice(1)}`)
  }

  get isBehind(): boolean {
    return this.#connection.isBehind
  }

  drained(): Promise<void> {
    return this.#connection.drained()
  }

  end(text = ''): void {
    if (this.#ended) return
    if (this.#isStream) this.write(text)
    else this.#refuse(text)
    this.#ended = true
  }

  #refuse(text: string): void {
    this.failed = true
    const { error } = JSON.parse(text === '' ? '{}' : text) as { error?: Record<string, unknown> }
    const code = error?.code ?? error?.type ?? 'server_error'
    this.#send(JSON.stringify({ type: 'error', status: this.#status, error: { ...error, code } }))
  }

  get gone(): boolean {
    return this.#connection.gone
  }

  onGone(listener: () => void): () => void {
    return this.#connection.onGone(listener)
  }
}
