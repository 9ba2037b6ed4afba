// `anthropic-beta` on clouds: each takes its own list, and refuses a request with any other. So the client's betas are sorted by what
// the cloud is known to take; a newer one can be set in the backend's "headers".

interface SortedBetas {
  sent: string[]
  leftOut: string[]
}

export const toolSearchBeta = 'tool-search-tool-2025-10-19'
export const fineGrainedBeta = 'fine-grained-tool-streaming-2025-05-14'
export const effortBeta = 'effort-2025-11-24'

/** Names without their dates: a cloud that takes one date of a feature mostly takes the next. */
const bedrock: readonly string[] = [
  'compact-',
  'computer-use-',
  'context-1m-',
  'context-management-',
  'effort-',
  'fine-grained-tool-streaming-',
  'tool-search-tool-',
]

const vertex: readonly string[] = [
  'compact-',
  'computer-use-',
  'context-1m-',
  'context-management-',
  'interleaved-thinking-',
  'tool-search-tool-',
  'web-search-',
]

/** Anthropic's own name for a group of features, of which clouds have the search of tools. */
const renamed: readonly (readonly [prefix: string, name: string])[] = [['advanced-tool-use-', toolSearchBeta]]

const sortBy =
  (taken: readonly string[]) =>
  (features: readonly string[]): SortedBetas => {
    const sent = new Set<string>()
    const leftOut = new Set<string>()
    for (const feature of features) {
      const name = renamed.find(([prefix]) => feature.startsWith(prefix))?.[1] ?? feature
      const isTaken = taken.some((prefix) => name.startsWith(prefix)) && /^[\w.-]+$/.test(name)
      if (isTaken) sent.add(name)
      else leftOut.add(feature)
    }
    return { sent: [...sent], leftOut: [...leftOut] }
  }

export const sortBedrockBetas = sortBy(bedrock)
export const sortVertexBetas = sortBy(vertex)
