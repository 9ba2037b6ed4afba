// Under which name a tool call is remembered. Its id will not do: some servers count their calls anew in every
// conversation, or in every turn (`read:0`), and what was thought for one caller must not reach another.

import { createHash } from 'node:crypto'

export interface KnownCall {
  callId: string
  name: string
  input: string
}

/** The same for a call as it was made and as a client sends it back, however that one writes it down. */
export function callKey(owner: string, model: string, { callId, name, input }: KnownCall): string {
  const parts = JSON.stringify([owner, model, callId, name, plainInput(input)])
  return createHash('sha256').update(parts).digest('base64url')
}

/**
 * What is left of a call's arguments when all is taken out that clients are known to rewrite. Claude Code writes down what
 * it did: switches that are off, commands without the way to their folder, texts without the blanks at line ends.
 */
export function plainInput(input: string): string {
  try {
    return JSON.stringify(onlyText(plainValue(JSON.parse(input))), (_key, value) => plainValue(value))
  } catch {
    return input
  }
}

/** Tools that take text show it without the name that the model has given it. */
function onlyText(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const [only, ...others] = Object.values(value)
  return typeof only === 'string' && others.length === 0 ? only : value
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const said = Object.entries(value).filter(([, field]) => field !== false && field !== null)
  return Object.fromEntries(said.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const wayToFolder = /^cd (?:'[^']*'|"[^"]*"|\S+) && /

const plainText = (text: string) =>
  text
    .replace(wayToFolder, '')
    .replaceAll('\\\\;', '\\;')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
