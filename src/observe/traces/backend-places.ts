// The provider and the address of each backend, for spans.

import type { BackendConfig, Config } from '../../config/schema.ts'

export interface Place {
  /** The conventions' own name where they have one. */
  provider: string
  address: string
  port: number
}

/** Hosts of `openai` backends that the conventions have a name for. */
const knownHosts: readonly (readonly [RegExp, string])[] = [
  [/\.openai\.azure\.com$/, 'azure.ai.openai'],
  [/^generativelanguage\.googleapis\.com$/, 'gcp.gemini'],
  [/(^|-)aiplatform\.googleapis\.com$/, 'gcp.vertex_ai'],
  [/(^|\.)deepseek\.com$/, 'deepseek'],
  [/(^|\.)groq\.com$/, 'groq'],
  [/(^|\.)mistral\.ai$/, 'mistral_ai'],
  [/(^|\.)moonshot\.(ai|cn)$/, 'moonshot_ai'],
  [/(^|\.)perplexity\.ai$/, 'perplexity'],
  [/(^|\.)x\.ai$/, 'x_ai'],
  [/(^|\.)cohere\.(ai|com)$/, 'cohere'],
]

export const placesOf = ({ backends }: Config): ReadonlyMap<string, Place> =>
  new Map(Object.entries(backends).map(([name, backend]) => [name, placeOf(backend)]))

function placeOf({ kind, baseUrl }: BackendConfig): Place {
  const { hostname, port, protocol } = new URL(baseUrl)
  const known = kind === 'openai' ? knownHosts.find(([pattern]) => pattern.test(hostname))?.[1] : undefined
  return {
    provider: known ?? kind,
    address: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  }
}
