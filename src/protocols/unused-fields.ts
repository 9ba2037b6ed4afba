// Fields of a Chat request that have no counterpart in a backend's protocol: they are left out, and named in a note.

import type { TurnRequest } from '../core/request.ts'

/** What the door itself has made use of. */
const carried = [
  'function_call', 'functions', 'messages', 'model', 'n', 'parallel_tool_calls', 'reasoning', 'reasoning_effort',
  'response_format', 'stream', 'stream_options', 'tool_choice', 'tools',
] // biome-ignore format: a list to be read as one

/** `used` names what the backend carries beside that. Values that say "nothing" or "as usual" are nothing lost. */
export function unusedFields({ origin }: TurnRequest, used: readonly string[]): string[] {
  if (origin.dialect !== 'openai-chat') return []
  const known = new Set([...carried, ...used])
  return (
    Object.entries(origin.body)
      .filter(([name, value]) => !known.has(name) && value !== null && value !== false)
      // A temperature of 0 is one; a penalty of 0 is none.
      .filter(([name, value]) => value !== 0 || name === 'temperature')
      .map(([name]) => name)
      .sort()
  )
}
