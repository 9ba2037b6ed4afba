// Texts that are kept by someone else: readable and unchangeable only for who has the secret, and bound to an owner. AES-256-GCM with
// a random nonce.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16
const mark = 'dragoman-sealed1.'

/** Some gateway sealed it, not necessarily this one. */
export const isSealed = (text: string): boolean => text.startsWith(mark)

export class Seal {
  readonly #secret: () => Uint8Array
  #key: Uint8Array | undefined

  /** `secret` is asked for at the first use. Without it, texts are readable as long as this process lives. */
  constructor(secret: () => Uint8Array = () => randomBytes(32)) {
    this.#secret = secret
  }

  seal(text: string, owner: string): string {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#keyOf(), nonce)
    cipher.setAAD(Buffer.from(owner))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return mark + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
  }

  /** Undefined if the text was not sealed with this secret for this owner, or was changed. */
  unseal(sealed: string, owner: string): string | undefined {
    if (!sealed.startsWith(mark)) return undefined
    const bytes = Buffer.from(sealed.slice(mark.length), 'base64url')
    if (bytes.length < nonceBytes + tagBytes) return undefined
    const decipher = createDecipheriv('aes-256-gcm', this.#keyOf(), bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAAD(Buffer.from(owner))
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    try {
      const text = decipher.update(bytes.subarray(nonceBytes + tagBytes))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    } catch {
      return undefined
    }
  }

  #keyOf(): Uint8Array {
    this.#key ??= new Uint8Array(hkdfSync('sha256', this.#secret(), '', 'dragoman sealed text', 32))
    return this.#key
  }
}
