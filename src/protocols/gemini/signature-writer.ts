// Collects the proven thoughts of a turn until a part can carry them: a call, which every client sends back with its signature, or
// else the end of the turn.

import { type SignedThought, toThoughtSignature } from './thought-signature.ts'

export class SignatureWriter {
  readonly #model: string
  #thoughts: SignedThought[] = []
  #hasOutput = false

  constructor(model: string) {
    this.#model = model
  }

  onOutput(): void {
    this.#hasOutput = true
  }

  /** A thought without a proof need not come back. */
  onThought({ text, signature, redacted }: { text: string; signature?: string; redacted?: string }): void {
    if (signature === undefined && redacted === undefined) return
    const proof = {
      ...(signature === undefined ? {} : { signature }),
      ...(redacted === undefined ? {} : { redacted }),
    }
    this.#thoughts.push({ type: 'reasoning', text, leads: !this.#hasOutput, ...proof })
  }

  /** The signature of the next part; undefined if there is nothing to carry. */
  take(): string | undefined {
    if (this.#thoughts.length === 0) return undefined
    const signature = toThoughtSignature(this.#model, this.#thoughts)
    this.#thoughts = []
    return signature
  }
}
