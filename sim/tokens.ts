// The simulators' idea of a token: four characters. Rough, deterministic, and good enough for limits and usage.

const CHARACTERS_PER_TOKEN = 4

export function estimateTokens(value: unknown): number {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}
