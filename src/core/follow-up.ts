import { asMade } from './call-check.ts'
import type { CollectedTurn } from './collect.ts'
import type { AssistantPart, ToolResult, TurnRequest } from './request.ts'

/** The conversation with the model's last answer and the results of its calls. Calls go back as the model made them. */
export function followUp(request: TurnRequest, { parts }: CollectedTurn, results: ToolResult[]): TurnRequest {
  const madeIds = new Map<string, string>()
  const content = parts.map((part): AssistantPart => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    if (part.type !== 'tool-call') return part
    const made = asMade(part)
    madeIds.set(part.callId, made.callId)
    return { type: 'tool-call', ...made }
  })
  const answered = results.map((result) => ({
    ...result,
    callId: madeIds.get(result.callId) ?? result.callId,
  }))
  return {
    ...request,
    messages: [...request.messages, { role: 'assistant', content }, { role: 'tool', results: answered }],
    // The client's own body lacks these messages.
    origin: { ...request.origin, faithful: false },
  }
}
