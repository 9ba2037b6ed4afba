// POST /v1/messages.

import { messagesAnswer } from '../protocols/anthropic-messages/answer.ts'
import { messagesErrorBody, messagesErrorStatus } from '../protocols/anthropic-messages/errors.ts'
import { fromMessagesRequest } from '../protocols/anthropic-messages/request-in.ts'
import { MessagesWriter, messagesKeepAlive } from '../protocols/anthropic-messages/write.ts'
import type { Door } from './door.ts'

export const anthropicMessagesDoor: Door = {
  name: 'anthropic-messages',
  keepAlive: messagesKeepAlive,
  errorBody: messagesErrorBody,
  errorStatus: messagesErrorStatus,
  // Anthropic's SDKs show this id with every error.
  headers: (turnId) => ({ 'request-id': turnId }),
  read(body, notes, header) {
    const { model, turn, showsThinking } = fromMessagesRequest(body, notes, {
      betas: header('anthropic-beta'),
      version: header('anthropic-version'),
    })
    const shape = { model, showsThinking }
    const messageId = (id: string) => `msg_${id}`
    return {
      model,
      turn,
      writer: (facts) =>
        new MessagesWriter({ requestId: `turn_${facts.id}`, ...facts, ...shape, id: messageId(facts.id) }),
      answer: (collected, facts) => messagesAnswer(collected, { id: messageId(facts.id), ...shape }),
    }
  },
}
