// Remote calls between a parent and its workers over Node's IPC channel. Each side offers named methods with plain data as
// arguments and results.

export interface MessagePort {
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
}

/** `never`: methods with any parameters. The caller's type says which. */
export type Services = Record<string, (...args: never[]) => unknown>

type ArgsOf<S> = S extends (...args: infer A) => unknown ? A : never

type Message =
  /** 0 for a call without an answer. */
  | { call: number; name: string; args: unknown[] }
  | { done: number; value: unknown }
  | { done: number; failed: string; exitCode?: number }

/** A failure on the other side. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
  /** The exit code of a failed command. */
  readonly exitCode: number | undefined

  constructor(message: string, exitCode?: number) {
    super(message)
    this.exitCode = exitCode
  }
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

export class Channel<Theirs> {
  readonly #port: MessagePort
  readonly #own: Services
  readonly #waiting = new Map<number, Waiting>()
  #calls = 0
  #closed: Error | undefined

  constructor(port: MessagePort, own: Services) {
    this.#port = port
    this.#own = own
    port.onMessage((message) => this.#take(message as Message))
  }

  /** A call without an answer. */
  tell<K extends keyof Theirs & string>(name: K, ...args: ArgsOf<Theirs[K]>): void {
    if (!this.#closed) this.#port.send({ call: 0, name, args } satisfies Message)
  }

  call<K extends keyof Theirs & string>(
    name: K,
    ...args: ArgsOf<Theirs[K]>
  ): Promise<Theirs[K] extends (...args: never[]) => infer R ? Awaited<R> : never> {
    if (this.#closed) return Promise.reject(this.#closed)
    const call = ++this.#calls
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve: resolve as Waiting['resolve'], reject })
      this.#port.send({ call, name, args } satisfies Message)
    })
  }

  /** The other side is gone: reject open calls. */
  close(): void {
    this.#closed ??= new Error('the other process has ended')
    for (const { reject } of this.#waiting.values()) reject(this.#closed)
    this.#waiting.clear()
  }

  #take(message: Message): void {
    if ('call' in message) return void this.#serve(message)
    const waiting = this.#waiting.get(message.done)
    this.#waiting.delete(message.done)
    if ('failed' in message) waiting?.reject(new RemoteError(message.failed, message.exitCode))
    else waiting?.resolve(message.value)
  }

  async #serve({ call, name, args }: { call: number; name: string; args: unknown[] }): Promise<void> {
    try {
      const value = await this.#own[name]?.(...(args as never[]))
      this.#answer({ done: call, value })
    } catch (error) {
      const failed = error instanceof Error ? error.message : String(error)
      const { exitCode } = error as { exitCode?: number }
      this.#answer({ done: call, failed, ...(exitCode === undefined ? {} : { exitCode }) })
    }
  }

  #answer(message: Exclude<Message, { call: number }>): void {
    if (!this.#closed && message.done !== 0) this.#port.send(message)
  }
}
