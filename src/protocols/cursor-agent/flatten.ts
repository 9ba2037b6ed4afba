// The history as one text, for accounts or models that ignore the structured form (`history: "text"`). No part of the text looks
// like a tool call: models imitate such text, and then write calls instead of making them.

import { create } from '@bufbuild/protobuf'
import { ConversationStateStructureSchema, UserMessageSchema } from '../../../proto/gen/agent/v1/run_pb.ts'
import type { Message } from '../../core/request.ts'
import { inlineSystem, inlineSystemNote } from '../requests/inline-system.ts'
import { activeStart, type ConversationOut } from './history-out.ts'
import { imageOf, type Note, pastText, textOf } from './parts-out.ts'
import { offeredName } from './tool-names.ts'

export function flatConversation(messages: readonly Message[], mode: number, note: Note): ConversationOut {
  const begin = activeStart(messages)
  const past = flattenHistory(messages.slice(0, begin), note)
  const active = messages.slice(begin)
  const now = active.flatMap((message) => (message.role === 'user' ? message.content : []))
  const asked =
    active.length === 0 ? 'Go on from here.' : active.map((message) => saidText(message, note)).join('\n\n')
  const selectedImages = now.flatMap((part) => imageOf(part))
  const text = past === '' ? asked : `The conversation so far:\n\n${past}\n\nNow:\n\n${asked}`
  return {
    state: create(ConversationStateStructureSchema, { mode }),
    userMessage: create(UserMessageSchema, {
      text,
      mode,
      ...(selectedImages.length === 0 ? {} : { selectedContext: { selectedImages } }),
    }),
  }
}

function saidText(message: Message, note: Note): string {
  if (message.role === 'user') return textOf(message.content, note)
  if (message.role !== 'system') return ''
  note(inlineSystemNote)
  return inlineSystem(textOf(message.content))
}

function flattenHistory(messages: readonly Message[], note: Note): string {
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
