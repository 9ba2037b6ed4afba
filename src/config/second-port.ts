// The second address that a gateway listens on.

import type { Config } from './schema.ts'

/** For programs that look for Ollama where it usually is. Undefined if there is none. */
export function secondPort({
  ollama,
  listen,
}: Pick<Config, 'ollama' | 'listen'>): Config['listen'] | undefined {
  const { enabled, port } = ollama
  // Two free ports are two; the same port twice is one.
  if (!enabled || port === undefined || (port === listen.port && port !== 0)) return undefined
  return { host: listen.host, port }
}
