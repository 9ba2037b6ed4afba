// A promise with resolve and reject outside. Without a waiter, its failure is not an unhandled rejection.

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
