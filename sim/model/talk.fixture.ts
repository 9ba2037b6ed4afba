// A talk with the demo model: each round answers its calls.

import { type Answer, answer, type Conversation, type Message, type Tool, type ToolCall } from '../model.ts'

export interface Talk {
  readonly calls: readonly (readonly ToolCall[])[]
  readonly last: Answer
}

/** A result that the wire marks as an error is `{ error }`. */
export function talk(
  text: string,
  tools: readonly Tool[],
  rounds: readonly (readonly (string | { error: string })[])[],
  more: Partial<Conversation> = {},
): Talk {
  const messages: Message[] = [{ role: 'user', text }]
  const ask = () => answer({ system: '', messages, tools, toolChoice: 'auto', ...more })
  const calls: (readonly ToolCall[])[] = []
  for (const [round, results] of rounds.entries()) {
    const made = ask().calls
    calls.push(made)
    messages.push({
      role: 'assistant',
      text: '',
      toolCalls: made.map((call, index) => ({ ...call, id: `${round}.${index}` })),
    })
    const toolResults = results.map((result, index) => ({
      callId: `${round}.${index}`,
      text: typeof result === 'string' ? result : result.error,
      isError: typeof result !== 'string',
    }))
    messages.push({ role: 'user', text: '', toolResults })
  }
  const last = ask()
  return { calls: [...calls, last.calls], last }
}
