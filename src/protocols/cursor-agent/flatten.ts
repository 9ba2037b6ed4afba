// The history as one text, for accounts or models where the structured form is not taken up (`history: "text"`). No
// part of it looks like a tool call: models imitate such text and then write calls instead of making them.

import type { Message } from '../../core/request.ts'
import { type Note, pastText, textOf } from './parts-out.ts'
import { offeredName } from './tool-names.ts'

export function flattenHistory(messages: readonly Message[], note: Note): string {
  const invocations = new Map<string, string>()
  const parts = messages.flatMap((message): string[] => {
    switch (message.role) {
      case 'system':
        return [tagged('system', textOf(message.content))]
      case 'user':
        return [tagged('user', pastText(message.content, note))]
      case 'tool':
        return message.results.map((result) => {
          const how = result.isError ? 'failed' : 'gave'
          const text = `${invocations.get(result.callId) ?? 'A tool'} ${how}:\n${pastText(result.content, note)}`
          return tagged('tool-result', text)
        })
      case 'assistant': {
        const said = message.content.flatMap((part) => {
          if (part.type === 'tool-call')
            invocations.set(part.callId, `The tool ${offeredName(part.name)}, used with ${part.input},`)
          return part.type === 'text' && part.text !== '' ? [part.text] : []
        })
        return said.length === 0 ? [] : [tagged('assistant', said.join('\n\n'))]
      }
    }
  })
  return parts.join('\n\n')
}

const tagged = (name: string, text: string) => `<${name}>\n${text}\n</${name}>`
