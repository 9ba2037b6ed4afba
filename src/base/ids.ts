// Random ids of letters and digits.

import { randomFillSync } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** Bytes from here on are skipped: they would make the first letters more likely. */
const unbiased = 256 - (256 % alphabet.length)
const pool = Buffer.alloc(4096)
let used = pool.length

export function randomId(length: number): string {
  let id = ''
  while (id.length < length) {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const byte = pool[used++] as number
    if (byte < unbiased) id += alphabet[byte % alphabet.length]
  }
  return id
}
