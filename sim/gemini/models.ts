// The models of the Gemini API, by what the service lets a request say about their thinking.

export interface GeminiModel {
  readonly id: string
  /** 2 for 2.5, 3 for 3.8. Names that say nothing count as the newest. */
  readonly generation: number
  /** Undefined: the model does not think. */
  readonly thinking:
    | { readonly levels: readonly string[] }
    | { readonly budget: readonly [number, number] }
    | undefined
  /** The least budget may also be 0, which switches thinking off. */
  readonly mayBeOff?: boolean
}

export const LISTED = [
  'gemini-4-argon',
  'gemini-3.8-flash',
  'gemini-3.1-pro-preview',
  'gemini-3.6-flash',
  'gemini-2.5-pro',
  'gemini-2.5-flash',
]

const ALL_LEVELS = ['minimal', 'low', 'medium', 'high']
const LEVELS = ['low', 'medium', 'high']

export function findModel(id: string): GeminiModel {
  const generation = Number(/^gemini-(\d+)/.exec(id)?.[1] ?? 4)
  if (generation < 2 || /^gemini-2\.0|^gemma/.test(id)) return { id, generation: 2, thinking: undefined }
  if (generation === 2) {
    if (id.includes('pro')) return { id, generation, thinking: { budget: [128, 32_768] } }
    const least = id.includes('lite') ? 512 : 1
    return { id, generation, thinking: { budget: [least, 24_576] }, mayBeOff: true }
  }
  return { id, generation, thinking: { levels: levelsOf(id) } }
}

function levelsOf(id: string): readonly string[] {
  if (/^gemini-3-pro/.test(id)) return ['low', 'high']
  if (/^gemini-3(?:\.[56])?-flash|-flash-lite/.test(id)) return ALL_LEVELS
  return LEVELS
}

/** An entry of the listing. */
export function describeModel(id: string) {
  return {
    name: `models/${id}`,
    version: '001',
    displayName: id,
    description: 'A simulated model.',
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens', 'createCachedContent'],
    temperature: 1,
    maxTemperature: 2,
    topP: 0.95,
    topK: 64,
    thinking: findModel(id).thinking !== undefined,
  }
}
