// A task's conversation as a request of a dialect client.

import type { Ask, Choice, DialectClient, DoorName, Message as WireMessage } from '../clients/answer.ts'
import type { Message, Task } from './task.ts'

/** The system prompt of every task. */
const system =
  'You work for a program that runs your tool calls and gives you their results. Call a tool where the task needs it, and only then. When you have what you need, answer in one or two sentences.'

/**
 * Messages requires a limit: this one is enough for the longest arguments of any task, and every current model allows it.
 * Responses returns reasoning that can be sent back only on request.
 */
const dialectFields: Record<DoorName, Partial<Ask>> = {
  chat: { usage: true },
  messages: { maxTokens: 16_384 },
  responses: { more: { include: ['reasoning.encrypted_content'] } },
  gemini: {},
}

interface RequestOptions {
  model: string
  client: DialectClient
  stream: boolean
  choice?: Choice | undefined
}

export const requestOf = (
  { tools, oneCallAtATime }: Pick<Task, 'tools' | 'oneCallAtATime'>,
  messages: readonly Message[],
  { model, client, stream, choice }: RequestOptions,
): Ask => ({
  ...dialectFields[client.name],
  model,
  form: stream ? 'stream' : 'whole',
  system,
  messages: messages.flatMap(toWire),
  tools,
  choice,
  oneCallAtATime,
})

function toWire(message: Message): WireMessage[] {
  switch (message.role) {
    case 'assistant': {
      const { text, echo } = message
      if (echo !== undefined) return [{ role: 'raw', items: echo }]
      const calls = message.calls.map(({ id, name, input }) => ({
        id,
        name,
        arguments: JSON.stringify(input),
      }))
      if (calls.length === 0) return [{ role: 'assistant', text }]
      return [{ role: 'assistant', calls, ...(text === '' ? {} : { text }) }]
    }
    case 'tool':
      return message.results.map(({ callId, text, isError = false }) => ({
        role: 'result',
        id: callId,
        text,
        isError,
      }))
    default:
      return [message]
  }
}
