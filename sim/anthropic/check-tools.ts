// The rules about tools: definitions, tool_choice, and the pairing of calls with results.

import { isRecord } from '../shape.ts'
import type { AnthropicModel } from './models.ts'
import { Refusal } from './refusal.ts'
import { type Block, type MessagesRequest, toBlocks, type WireMessage } from './request.ts'
import { findStrictExcess, findUnsupportedKeyword } from './strict-schema.ts'

/** `largestGrammar`: the most characters of all strict schemas; the service does not say its own. */
export function checkTools(request: MessagesRequest, model: AnthropicModel, largestGrammar?: number): void {
  const tools = request.tools ?? []
  if (new Set(tools.map(({ name }) => name)).size !== tools.length) {
    throw new Refusal('tools: Tool names must be unique.')
  }
  for (const [index, tool] of tools.entries()) {
    const problem = tool.strict === true ? findUnsupportedKeyword(tool.input_schema) : undefined
    if (problem) throw new Refusal(`tools.${index}.custom: ${problem}`)
  }
  checkStrict(tools, largestGrammar)
  checkDeferred(request)
  checkToolChoice(request, model)
  checkPairs(request.messages)
  const usesTools = request.messages.some(({ content }) =>
    toBlocks(content).some((block) => block.type === 'tool_use' || block.type === 'tool_result'),
  )
  if (usesTools && tools.length === 0) {
    throw new Refusal('Requests which include `tool_use` or `tool_result` blocks must define tools')
  }
}

function checkStrict(
  tools: NonNullable<MessagesRequest['tools']>,
  largestGrammar = Number.POSITIVE_INFINITY,
): void {
  const schemas = tools.filter(({ strict }) => strict === true).map((tool) => tool.input_schema)
  const excess = findStrictExcess(schemas)
  if (excess !== undefined) throw new Refusal(excess)
  if (schemas.length > 0 && JSON.stringify(schemas).length > largestGrammar)
    throw new Refusal(
      'The compiled grammar is too large, which would cause performance issues. Simplify your tool schemas or reduce the number of strict tools.',
    )
}

/** The limit that the service states. */
const MOST_DEFERRED = 10_000

function checkDeferred({ tools = [], messages }: MessagesRequest): void {
  const deferred = tools.filter(({ defer_loading: isDeferred }) => isDeferred === true)
  if (deferred.length > 0 && deferred.length === tools.length) {
    throw new Refusal('At least one tool must have defer_loading=false. All tools cannot be deferred.')
  }
  // The texts of these two are not the service's.
  if (deferred.length > MOST_DEFERRED)
    throw new Refusal(`tools: at most ${MOST_DEFERRED} tools can be deferred`)
  const marked = deferred.find(({ cache_control: mark }) => mark != null)
  if (marked) throw new Refusal(`tools: '${marked.name}' cannot have both defer_loading and cache_control`)
  const names = new Set<unknown>(tools.map(({ name }) => name))
  for (const name of messages.flatMap(({ content }) => toBlocks(content).flatMap(referencesIn))) {
    if (!names.has(name)) throw new Refusal(`Tool reference '${name}' not found in available tools`)
  }
}

/** The names in results of searches, the client's and the service's. */
function referencesIn({ type, content }: Block): unknown[] {
  if (type === 'tool_result' && Array.isArray(content)) return namesOf(content)
  if (type !== 'tool_search_tool_result' || !isRecord(content)) return []
  return Array.isArray(content.tool_references) ? namesOf(content.tool_references) : []
}

const namesOf = (blocks: readonly unknown[]) =>
  blocks.flatMap((block) => (isRecord(block) && block.type === 'tool_reference' ? [block.tool_name] : []))

function checkToolChoice(
  { tool_choice: choice, tools, thinking }: MessagesRequest,
  model: AnthropicModel,
): void {
  if (choice === undefined) return
  if (tools === undefined) {
    throw new Refusal('tool_choice: tool_choice may only be specified while providing tools')
  }
  if (choice.type !== 'any' && choice.type !== 'tool') return
  if (!model.forcedToolChoice) {
    throw new Refusal('tool_choice: type "tool" and "any" are not supported for this model.')
  }
  if (choice.type === 'tool' && !tools.some(({ name }) => name === choice.name)) {
    throw new Refusal(`Tool '${choice.name}' not found in provided tools`)
  }
  if (thinking?.type === 'enabled') {
    throw new Refusal('Thinking may not be enabled when tool_choice forces tool use.')
  }
}

/** Every call has exactly one result at the start of the next message, and every result has its call. */
function checkPairs(messages: readonly WireMessage[]): void {
  const seen = new Set<unknown>()
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1]
    const calls = before?.role === 'assistant' ? blocksOf(before, 'tool_use') : []
    if (message.role === 'user') checkResults(message, index, calls)
    for (const { id } of blocksOf(message, 'tool_use')) {
      if (seen.has(id)) throw new Refusal('messages: `tool_use` ids must be unique')
      seen.add(id)
    }
    checkAnswered(message, index, messages[index + 1])
  }
}

function checkResults(message: WireMessage, index: number, calls: readonly Block[]): void {
  const answered = new Set<unknown>()
  for (const [position, block] of toBlocks(message.content).entries()) {
    if (block.type !== 'tool_result') continue
    const id = block.tool_use_id
    const at = `messages.${index}.content.${position}`
    if (!calls.some((call) => call.id === id)) {
      throw new Refusal(
        `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      )
    }
    if (answered.has(id)) {
      throw new Refusal(
        `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      )
    }
    answered.add(id)
  }
}

function checkAnswered(message: WireMessage, index: number, next: WireMessage | undefined): void {
  const calls = blocksOf(message, 'tool_use')
  if (message.role !== 'assistant' || calls.length === 0) return
  const results = next ? blocksOf(next, 'tool_result') : []
  const missing = calls.filter(({ id }) => !results.some((result) => result.tool_use_id === id))
  if (missing.length > 0) {
    throw new Refusal(
      `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.map(({ id }) => id).join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    )
  }
  const leading = toBlocks(next?.content ?? []).slice(0, calls.length)
  const misplaced = leading.filter((block) => block.type !== 'tool_result').length
  if (misplaced > 0) {
    throw new Refusal(
      `messages.${index + 1}: Did not find ${misplaced} \`tool_result\` block(s) at the beginning of this message. Messages following \`tool_use\` blocks must begin with a matching number of \`tool_result\` blocks.`,
    )
  }
}

function blocksOf(message: WireMessage, type: string): Block[] {
  return toBlocks(message.content).filter((block) => block.type === type)
}
