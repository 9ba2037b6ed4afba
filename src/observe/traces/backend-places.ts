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

/** Kinds that the conventions have another name for. */
const providers = new Map([['gemini', 'gcp.gemini']])

export type Places = Pick<ReadonlyMap<string, Place>, 'get'>

/** `backends`: those of the configuration in force. */
export function placesOf(backends: () => Config['backends']): Places {
  const known = new WeakMap<BackendConfig, Place>()
  return {
    get(name) {
      const backend = Object.hasOwn(backends(), name) ? backends()[name] : undefined
      if (!backend) return undefined
      const place = known.get(backend) ?? placeOf(backend)
      known.set(backend, place)
      return place
    },
  }
}

function placeOf({ kind, baseUrl }: BackendConfig): Place {
  const { hostname, port, protocol } = new URL(baseUrl)
  const known =
    kind === 'openai' ? knownHosts.find(([pattern]) => pattern.test(hostname))?.[1] : providers.get(kind)
  return {
    provider: known ?? kind,
    address: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  }
}
