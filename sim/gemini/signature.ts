// Thought signatures. The simulator signs the first call of an answer, and takes back only what it has signed for the same model.

import { createHmac, randomBytes } from 'node:crypto'

const KEY = 'dragoman simulator'
const FORMAT = 'gemini-sim1'

/** Google's word for a call that another model has made, or whose signature is lost. */
export const FILLERS: readonly unknown[] = [
  'skip_thought_signature_validator',
  'context_engineering_is_the_way_to_go',
]

export function sign(model: string): string {
  const facts = [FORMAT, model, randomBytes(8).toString('hex')]
  return Buffer.from(JSON.stringify([...facts, sealOf(facts)])).toString('base64')
}

/** The model that the signature is for; undefined if it is not the simulator's. */
export function signedModel(signature: string): string | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(signature, 'base64').toString('utf8'))
    if (!Array.isArray(parts) || parts.length !== 4) return undefined
    const facts = parts.slice(0, 3).map(String)
    return facts[0] === FORMAT && parts[3] === sealOf(facts) ? facts[1] : undefined
  } catch {
    return undefined
  }
}

const sealOf = (facts: readonly string[]) =>
  createHmac('sha256', KEY).update(JSON.stringify(facts)).digest('base64')
