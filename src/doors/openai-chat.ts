// POST /v1/chat/completions.

import { chatErrorBody } from '../protocols/openai-chat/errors.ts'
import { fromChatRequest } from '../protocols/openai-chat/request-in.ts'
import { ChatWriter, chatAnswer, chatKeepAlive } from '../protocols/openai-chat/write.ts'
import type { Door } from './door.ts'

export const openaiChatDoor: Door = {
  name: 'openai-chat',
  keepAlive: chatKeepAlive,
  errorBody: chatErrorBody,
  read(body, notes) {
    const { model, turn, includeUsage } = fromChatRequest(body, notes)
    const chatId = (id: string) => `chatcmpl-${id}`
    return {
      model,
      turn,
      writer: (facts) => new ChatWriter({ ...facts, id: chatId(facts.id), model, includeUsage }),
      answer: (collected, facts) => chatAnswer(collected, { ...facts, id: chatId(facts.id), model }),
    }
  },
}
