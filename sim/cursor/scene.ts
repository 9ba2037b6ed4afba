// What is known when a run begins: scripts match on it, and the demo model answers it.

import type { RequestContext } from '../../proto/gen/agent/v1/context_pb.ts'
import type { AgentRunRequest, ConversationStep } from '../../proto/gen/agent/v1/run_pb.ts'
import type { McpToolDefinition } from '../../proto/gen/agent/v1/tool_pb.ts'
import { findWorkingDirectory } from '../model/request-text.ts'
import type { Message, ToolCall, ToolResult } from '../model.ts'
import { givenContext, type History, modelOf, offeredTools } from './history.ts'
import { pendingIds } from './pending-calls.ts'
import { fromShownCall } from './tool-calls.ts'
import { bareName } from './tool-names.ts'

export interface Scene {
  readonly request: AgentRunRequest
  readonly model: string
  /** The user's current message; empty for a resumed turn. */
  readonly text: string
  readonly isResumed: boolean
  readonly system: string
  readonly directory: string
  readonly tools: readonly McpToolDefinition[]
  readonly history: History
}

/** The plain JSON that `expect` and `when` of a script match on. */
export interface SceneView {
  readonly model: string
  readonly action: 'user' | 'resume'
  readonly text: string
  readonly images: number
  readonly tools: readonly string[]
  readonly system: string
  readonly turns: readonly { readonly user: string; readonly steps: readonly Record<string, unknown>[] }[]
  readonly conversationId: string
  readonly runId: string
  /** Ids of the unanswered calls in the request's state. */
  readonly pending: readonly string[]
}

export function toScene(
  request: AgentRunRequest,
  history: History,
  asked: RequestContext | undefined,
): Scene {
  const contexts = [givenContext(request), asked].filter((context) => context !== undefined)
  const env = contexts.findLast((context) => context.env !== undefined)?.env
  const rules = contexts.flatMap(({ cloudRule, rules }) => [
    cloudRule ?? '',
    ...rules.map(({ content }) => content),
  ])
  const root = history.root.filter(({ role }) => role === 'system').map(({ text }) => text)
  const system = [...new Set([...root, ...rules])].filter(Boolean).join('\n\n')
  const action = request.action?.action
  return {
    request,
    model: modelOf(request),
    text: action?.case === 'userMessageAction' ? (action.value.userMessage?.text ?? '') : '',
    isResumed: action?.case === 'resumeAction',
    system,
    directory: env?.workspacePaths[0] || env?.processWorkingDirectory || findWorkingDirectory(system) || '',
    tools: offeredTools(request, asked),
    history,
  }
}

export function toView({ request, history, ...scene }: Scene): SceneView {
  const action = request.action?.action
  const user = action?.case === 'userMessageAction' ? action.value.userMessage : undefined
  return {
    model: scene.model,
    action: scene.isResumed ? 'resume' : 'user',
    text: scene.text,
    images: user?.selectedContext?.selectedImages.length ?? 0,
    tools: scene.tools.map(bareName),
    system: scene.system,
    turns: history.turns.map(({ user: said, steps }) => ({ user: said, steps: steps.map(viewStep) })),
    conversationId: request.conversationId ?? '',
    runId: request.runId,
    pending: pendingIds(request.conversationState),
  }
}

function viewStep({ message }: ConversationStep): Record<string, unknown> {
  if (message.case === 'assistantMessage') return { assistant: message.value.text }
  if (message.case === 'thinkingMessage') return { thinking: message.value.text }
  if (message.case !== 'toolCall') return {}
  const { call, result } = fromShownCall(message.value)
  return { tool: call.name, arguments: call.arguments, ...(result && { result: result.text }) }
}

/** The history as a model reads it; a resumed turn ends with its steps so far. */
export function toMessages({ history, text, isResumed }: Scene): Message[] {
  const { turns, root } = history
  const rootTalk = root.filter(({ role }) => role === 'user' || role === 'assistant')
  const past =
    turns.length > 0
      ? turns.flatMap(({ user, steps }): Message[] => [{ role: 'user', text: user }, ...stepMessages(steps)])
      : rootTalk.map(({ role, text: said }): Message => ({ role: role as Message['role'], text: said }))
  return isResumed ? past : [...past, { role: 'user', text }]
}

function stepMessages(steps: readonly ConversationStep[]): Message[] {
  return steps.flatMap(({ message }): Message[] => {
    if (message.case === 'assistantMessage') return [{ role: 'assistant', text: message.value.text }]
    if (message.case !== 'toolCall') return []
    const { call, result } = fromShownCall(message.value)
    return result === undefined ? [] : callMessages([call], [toResult(call, result)])
  })
}

export function callMessages(toolCalls: readonly ToolCall[], toolResults: readonly ToolResult[]): Message[] {
  return [
    { role: 'assistant', text: '', toolCalls },
    { role: 'user', text: '', toolResults },
  ]
}

export function toResult(call: ToolCall, result: { text: string; isError?: boolean }): ToolResult {
  const { text, isError = false } = result
  return { text, isError, ...(call.id !== undefined && { callId: call.id }) }
}
