// Fields of a request that have no counterpart in a backend's protocol: they are left out, and named in a note.

import type { TurnRequest } from '../core/request.ts'

/** What the door itself has made use of. */
const carried = new Map([
  ['openai-chat', [
    'function_call', 'functions', 'messages', 'model', 'n', 'parallel_tool_calls', 'reasoning', 'reasoning_effort',
    'response_format', 'stream', 'stream_options', 'tool_choice', 'tools',
  ]],
  ['anthropic-messages', [
    'cache_control', 'mcp_servers', 'messages', 'model', 'output_config', 'output_format', 'stream', 'system', 'thinking',
    'tool_choice', 'tools',
  ]],
]) // biome-ignore format: lists to be read as such

/** Messages' names for what `used` calls by those of Chat. */
const synonyms = new Map([
  ['metadata', 'user'],
  ['stop_sequences', 'stop'],
])

const usual = new Set<unknown>([null, false, 0, 'auto'])
/** A temperature of 0 is one; a penalty of 0 is none. */
const isUsual = (name: string, value: unknown) => usual.has(value) && !(name === 'temperature' && value === 0)

/** `used` names what the backend carries beside that. Values that say "nothing" or "as usual" are nothing lost. */
export function unusedFields({ origin }: TurnRequest, used: readonly string[]): string[] {
  const own = carried.get(origin.dialect)
  if (!own) return []
  const known = new Set([...own, ...used])
  const isKnown = (name: string) => known.has(name) || known.has(synonyms.get(name) ?? name)
  return Object.entries(origin.body)
    .filter(([name, value]) => !isKnown(name) && !isUsual(name, value))
    .map(([name]) => name)
    .sort()
}
