// POST /v1/messages → InvokeModel of Amazon Bedrock: model and stream are in the path, version and betas in the body, and fields that
// Bedrock does not know are refused there, so they are left out here.

import { type Fields, isObject } from '../../base/json.ts'
import {
  hasToolMember,
  noteStrict,
  refuseFetchedMedia,
  refuseServerTools,
  searchesTools,
  withOneEffort,
  without,
  withoutCacheScope,
  withoutFormat,
  withoutToolMembers,
} from './adapt-body.ts'
import { effortBeta, fineGrainedBeta, toolSearchBeta } from './betas.ts'
import { type CloudRequest, type MessagesRequest, splitBetas } from './cloud-request.ts'
import { bedrockModelId, type Geography } from './model-ids.ts'

const bedrockVersion = 'bedrock-2023-05-31'

/** Members of a Messages body that InvokeModel takes. */
const taken: ReadonlySet<string> = new Set([
  'context_management', 'max_tokens', 'messages', 'output_config', 'stop_sequences', 'system', 'temperature', 'thinking',
  'tool_choice', 'tools', 'top_k', 'top_p',
]) // biome-ignore format: a list to be read as one

/** Their place is elsewhere, or a note about them exists already. */
const moved: ReadonlySet<string> = new Set(['model', 'stream', 'output_format'])

const serverTools = /^(?:web_search|web_fetch|code_execution|mcp_toolset|advisor)_/

const edits: ReadonlySet<unknown> = new Set(['clear_tool_uses_20250919', 'compact_20260112'])

interface BedrockPlace {
  profile: Geography | 'none'
}

export function toInvokeModel(request: MessagesRequest, { profile }: BedrockPlace): CloudRequest {
  const action = request.stream ? 'invoke-with-response-stream' : 'invoke'
  return {
    path: `${modelPath(request.model, profile)}/${action}`,
    ...bedrockBody(request),
  }
}

/** Models of an inference profile cannot be counted, so the id is always without one. */
export function toBedrockCount(request: MessagesRequest): CloudRequest {
  const { body, headers } = bedrockBody(request)
  const id = bedrockModelId(request.model, 'none').replace(/^(?:[a-z-]{2,6}|global)\.(?=anthropic\.)/, '')
  return {
    path: `/model/${encodeURIComponent(id)}/count-tokens`,
    headers,
    body: { input: { invokeModel: { body: Buffer.from(JSON.stringify(body)).toString('base64') } } },
  }
}

export function readBedrockCount(answer: unknown): number | undefined {
  const count = isObject(answer) ? answer.inputTokens : undefined
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 ? count : undefined
}

const modelPath = (model: string, profile: BedrockPlace['profile']) =>
  `/model/${encodeURIComponent(bedrockModelId(model, profile))}`

function bedrockBody({ body: given, headers, note }: MessagesRequest): Omit<CloudRequest, 'path'> {
  refuseFetchedMedia(given, 'Bedrock')
  refuseServerTools(given, serverTools, 'Bedrock')
  const leftOut = Object.keys(given).filter((name) => !taken.has(name) && !moved.has(name))
  if (leftOut.length > 0) note(`not sent to Bedrock, which does not know it: ${leftOut.join(', ')}`)
  const { betas, others } = splitBetas(headers, (name) => name.startsWith('anthropic-'))
  const body: Fields = {}
  for (const [name, value] of Object.entries(given)) if (taken.has(name)) body[name] = value
  noteStrict(given.tools, 'Bedrock', note)
  const { messages, output_config: output } = withOneEffort(given, note)
  const scoped = [given.tools, given.system, messages]
  const [tools, system, history] = scoped.map((part) => withoutCacheScope(part))
  if (scoped.some((part, at) => part !== [tools, system, history][at]))
    note('the scope of cache marks is not sent to Bedrock, which does not have it')
  body.tools = withoutToolMembers(tools, ['strict', 'eager_input_streaming'])
  body.system = system
  body.messages = history
  body.output_config = withoutFormat(output)
  body.thinking = withBindingName(given.thinking)
  body.context_management = withKnownEdits(given.context_management, note)
  body.anthropic_version = bedrockVersion
  const all = [...betas, ...neededBetas(given.tools, output)]
  if (all.length > 0) body.anthropic_beta = [...new Set(all)]
  return { headers: others, body: definedOnly(body) }
}

const definedOnly = (body: Fields): Fields =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))

/** What Anthropic takes without a beta, and Bedrock with one. */
function neededBetas(tools: unknown, output: unknown): string[] {
  return [
    ...(hasToolMember(tools, 'eager_input_streaming') ? [fineGrainedBeta] : []),
    ...(searchesTools(tools) ? [toolSearchBeta] : []),
    ...(isObject(output) && output.effort !== undefined ? [effortBeta] : []),
  ]
}

/** Bedrock's name of the member is shorter. */
function withBindingName(thinking: unknown): unknown {
  const binding = isObject(thinking) ? thinking.block_binding : undefined
  if (!isObject(binding) || binding.prefix_mismatch_behavior === undefined) return thinking
  const { prefix_mismatch_behavior: behavior, ...rest } = binding
  return { ...(thinking as Fields), block_binding: { ...rest, mismatch_behavior: behavior } }
}

function withKnownEdits(management: unknown, note: (text: string) => void): unknown {
  if (!isObject(management) || !Array.isArray(management.edits)) return management
  const kept = management.edits.filter((edit) => isObject(edit) && edits.has(edit.type))
  if (kept.length === management.edits.length) return management
  note('context_management was reduced to the edits that Bedrock has')
  return kept.length > 0 ? { ...without(management, ['edits']), edits: kept } : undefined
}
