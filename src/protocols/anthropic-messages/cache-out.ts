// Prompt-cache breakpoints. The client's own are kept, at most four. If it set none, the ends of the tools, the system prompt, the
// conversation, and the conversation one turn ago are marked: they pay off in an agent's loop.

import type { UpstreamMessage } from './blocks-out.ts'
import type { Block } from './media-out.ts'

const maxMarks = 4

interface Places {
  tools: Block[]
  system: Block[]
  messages: readonly UpstreamMessage[]
}

export function placeBreakpoints(
  places: Places,
  options: { promptCache: 'auto' | 'off'; note(text: string): void },
): void {
  const marked = markedIn(places)
  if (marked.length > maxMarks) {
    // The last ones cover the longest prefix.
    for (const block of marked.slice(0, marked.length - maxMarks)) delete block.cache_control
    options.note(`${marked.length - maxMarks} cache_control marks were removed: the upstream takes four`)
  }
  if (marked.length > 0 || options.promptCache === 'off') return
  // The service searches the cache twenty blocks back from a mark. A turn with many calls is longer, so its start is marked too.
  const ends = places.messages
    .filter(({ role }) => role === 'user')
    .slice(-2)
    .map(({ content }) => content.at(-1))
  // The API refuses a mark on a deferred tool, which is no part of the prefix.
  const lastTool = places.tools.findLast(({ defer_loading: isDeferred }) => isDeferred !== true)
  for (const block of [lastTool, places.system.at(-1), ...ends])
    if (block) block.cache_control = { type: 'ephemeral' }
}

function markedIn({ tools, system, messages }: Places): Block[] {
  const marked: Block[] = []
  const look = (blocks: readonly Block[]) => {
    for (const block of blocks) {
      look(nested(block))
      if (block.cache_control !== undefined) marked.push(block)
    }
  }
  look(tools)
  look(system)
  for (const { content } of messages) look(content)
  return marked
}

const none: readonly Block[] = []

const nested = (block: Block): readonly Block[] =>
  block.type === 'tool_result' && Array.isArray(block.content) ? (block.content as Block[]) : none
