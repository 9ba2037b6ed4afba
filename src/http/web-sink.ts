// A web Response as a sink, for programs that call the gateway in-process with `fetch`.

import { Latch } from '../base/latch.ts'
import type { Sink } from '../core/sink.ts'

const highWaterBytes = 64 * 1024

export interface WebCaller {
  signal: AbortSignal
  /** Gets the Response as soon as its head is known. */
  answer(response: Response): void
  /** The caller canceled before that. */
  refuse(reason: unknown): void
}

export class WebSink implements Sink {
  readonly #gone = new Latch()
  readonly #encoder = new TextEncoder()
  readonly #caller: WebCaller
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #wake: (() => void) | undefined
  #ended = false

  constructor(caller: WebCaller) {
    this.#caller = caller
    const { signal } = caller
    if (signal.aborted) this.#leave(signal.reason)
    else signal.addEventListener('abort', () => this.#leave(signal.reason), { once: true })
  }

  get gone(): boolean {
    return this.#gone.tripped
  }

  onGone(listener: () => void): () => void {
    return this.#gone.on(listener)
  }

  get started(): boolean {
    return this.#controller !== undefined
  }

  start(status: number, headers: Record<string, string>): void {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#release(),
        cancel: (reason) => this.#leave(reason),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: highWaterBytes }),
    )
    this.#caller.answer(new Response(status === 204 ? null : body, { status, headers }))
  }

  write(text: string): boolean {
    if (this.gone || this.#ended || !this.#controller || text === '') return true
    this.#controller.enqueue(this.#encoder.encode(text))
    return (this.#controller.desiredSize ?? 0) > 0
  }

  get isBehind(): boolean {
    return !this.gone && !this.#ended && (this.#controller?.desiredSize ?? 1) <= 0
  }

  drained(): Promise<void> {
    if (!this.isBehind) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  end(text = ''): void {
    if (this.#ended || this.gone) return
    this.write(text)
    this.#ended = true
    this.#controller?.close()
  }

  /** As with any fetch: the call rejects, or reading the body does. */
  #leave(reason: unknown): void {
    if (this.#ended || this.gone) return
    this.#gone.trip()
    if (this.#controller) this.#controller.error(reason)
    else this.#caller.refuse(reason)
    this.#release()
  }

  #release(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
