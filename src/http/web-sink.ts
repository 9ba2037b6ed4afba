// A web Response as a sink, for programs that call the gateway in-process with `fetch`.

import type { Sink } from '../core/sink.ts'

const highWaterBytes = 64 * 1024

export class WebSink implements Sink {
  readonly #gone = new AbortController()
  readonly #encoder = new TextEncoder()
  readonly #answer: (response: Response) => void
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #wake: (() => void) | undefined
  #ended = false

  /** `answer` gets the Response as soon as its head is known. */
  constructor(answer: (response: Response) => void, clientSignal?: AbortSignal | null) {
    this.#answer = answer
    if (clientSignal?.aborted) this.#gone.abort()
    clientSignal?.addEventListener('abort', () => this.#leave(), { once: true })
  }

  get gone(): AbortSignal {
    return this.#gone.signal
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
        cancel: () => this.#leave(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: highWaterBytes }),
    )
    this.#answer(new Response(body, { status, headers }))
  }

  write(text: string): boolean {
    if (this.#gone.signal.aborted || this.#ended || !this.#controller) return true
    this.#controller.enqueue(this.#encoder.encode(text))
    return (this.#controller.desiredSize ?? 0) > 0
  }

  drained(): Promise<void> {
    if (this.#gone.signal.aborted || (this.#controller?.desiredSize ?? 1) > 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  end(text?: string): void {
    if (this.#ended || this.#gone.signal.aborted) return
    if (text !== undefined) this.write(text)
    this.#ended = true
    this.#controller?.close()
  }

  #leave(): void {
    if (!this.#ended) this.#gone.abort()
    this.#release()
  }

  #release(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
