import type { CollectedTurn } from './collect.ts'
import type { AssistantPart, ToolResult, TurnRequest } from './request.ts'

/** The conversation with the model's last answer and the results of its calls. */
export function followUp(request: TurnRequest, { parts }: CollectedTurn, results: ToolResult[]): TurnRequest {
  const content = parts.map((part): AssistantPart => {
    if (part.type !== 'text') return part
    return { type: 'text', text: part.text }
  })
  return {
    ...request,
    messages: [...request.messages, { role: 'assistant', content }, { role: 'tool', results }],
  }
}
