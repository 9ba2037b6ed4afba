// A promise with its ends outside. One that nobody waits for may fail without being an unhandled rejection.

export class Deferred<T> {
  readonly promise: Promise<T>
  resolve: (value: T) => void = () => undefined
  reject: (reason: unknown) => void = () => undefined

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
    this.promise.catch(() => undefined)
  }
}
