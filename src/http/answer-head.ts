// The head of an answer until it goes out: headers that every answer to the request carries, and the shape of its errors.

import type { GatewayError } from '../core/errors.ts'

/** An error in the client's dialect. */
export interface ErrorShape {
  readonly status: number
  readonly body: unknown
}

export class AnswerHead {
  readonly #headers: Record<string, string> = {}
  #passed: Readonly<Record<string, string>> | undefined
  #errorShape: ((error: GatewayError) => ErrorShape) | undefined

  get headers(): Readonly<Record<string, string>> {
    return this.#passed ? Object.assign({}, this.#passed, this.#headers) : this.#headers
  }

  /** Headers of the service's answer. The gateway's own win. */
  pass(headers: Readonly<Record<string, string>> | undefined): void {
    this.#passed = headers
  }

  /** `undefined` removes the header. */
  set(name: string, value: string | undefined): void {
    if (value !== undefined) this.#headers[name] = value
    else if (this.#headers[name] !== undefined) delete this.#headers[name]
  }

  setAll(headers: Readonly<Record<string, string>> | undefined): void {
    Object.assign(this.#headers, headers)
  }

  /** The client's dialect is known: errors take its shape. */
  shapeErrors(errorShape: (error: GatewayError) => ErrorShape): void {
    this.#errorShape = errorShape
  }

  /** Undefined until the client's dialect is known. */
  errorShape(error: GatewayError): ErrorShape | undefined {
    return this.#errorShape?.(error)
  }
}
