// The key under which a tool call is remembered. Its id is not enough: some servers number calls from zero in every conversation
// or turn (`read:0`), and the reasoning for one caller must not reach another.

import { createHash } from 'node:crypto'

export interface KnownCall {
  callId: string
  name: string
  input: string
}

/** Equal for the call as the model made it and as a client sends it back, in spite of the client's rewriting. */
export function callKey(owner: string, model: string, { callId, name, input }: KnownCall): string {
  const parts = JSON.stringify([owner, model, callId, name, plainInput(input)])
  return createHash('sha256').update(parts).digest('base64url')
}

/**
 * A call's arguments without everything that clients are known to rewrite. Claude Code records what it did: it adds options that are
 * off, and removes the `cd` before a command and blanks at line ends.
 */
export function plainInput(input: string): string {
  try {
    return JSON.stringify(onlyText(plainValue(JSON.parse(input))), (_key, value) => plainValue(value))
  } catch {
    return input
  }
}

/** Custom tools, which take text, send it back without the member name that the model used. */
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

const cdPrefix = /^cd (?:'[^']*'|"[^"]*"|\S+) && /

const plainText = (text: string) =>
  text
    .replace(cdPrefix, '')
    .replaceAll('\\\\;', '\\;')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
