// POST /v1/chat/completions.

import { openaiErrorBody, openaiErrorStatus } from '../protocols/errors/openai-error.ts'
import { fromChatRequest } from '../protocols/openai-chat/request-in.ts'
import { ChatWriter, chatAnswer, chatKeepAlive } from '../protocols/openai-chat/write.ts'
import type { AnswerFacts, Door } from './door.ts'

export const openaiChatDoor: Door = {
  name: 'openai-chat',
  keepAlive: chatKeepAlive,
  errorBody: openaiErrorBody,
  errorStatus: openaiErrorStatus,
  read(body, notes) {
    const { model, turn, includeUsage, custom } = fromChatRequest(body, notes)
    const about = ({ id, createdAt, client, note }: AnswerFacts) => ({
      id: `chatcmpl-${id}`,
      createdAt,
      model,
      note,
      customForm: (name: string) => custom.get(name) && (client.customCalls ?? custom.get(name)),
    })
    return {
      model,
      turn,
      writer: (facts) => new ChatWriter({ includeUsage, ...facts, ...about(facts) }),
      answer: (collected, facts) => chatAnswer(collected, about(facts)),
    }
  },
}
