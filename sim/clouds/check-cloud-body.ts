// What clouds refuse in a Messages body, beside what Anthropic refuses.

import { isRecord, type Json } from '../shape.ts'

/** The first problem, in the validator's words; undefined if there is none. */
export function cloudProblem(body: Json, known: ReadonlySet<string>): string | undefined {
  const unknown = Object.keys(body).find((name) => !known.has(name))
  if (unknown !== undefined) return `${unknown}: Extra inputs are not permitted`
  if (isRecord(body.output_config) && body.output_config.format !== undefined)
    return 'output_config.format: Extra inputs are not permitted'
  const tools = Array.isArray(body.tools) ? body.tools.filter(isRecord) : []
  const strict = tools.findIndex((tool) => 'strict' in tool)
  if (strict >= 0) return `tools.${strict}.custom.strict: Extra inputs are not permitted`
  return fetchedMedia(body.messages)
}

function fetchedMedia(messages: unknown): string | undefined {
  for (const [at, message] of (Array.isArray(messages) ? messages : []).entries()) {
    const blocks: unknown[] = isRecord(message) && Array.isArray(message.content) ? message.content : []
    for (const [position, block] of blocks.entries()) {
      const source = isRecord(block) && isRecord(block.source) ? block.source : undefined
      if (source?.type !== 'url' && source?.type !== 'file') continue
      return `messages.${at}.content.${position}: URL sources are not supported`
    }
  }
  return undefined
}
