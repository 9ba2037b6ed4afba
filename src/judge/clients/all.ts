// The strict dialect clients. `conform` and `probe` write requests and read answers with them; they share no code with the
// gateway, so a mistake in the gateway's readers cannot hide itself.

import type { DialectClient, DoorName } from './answer.ts'
import { chatClient } from './chat.ts'
import { geminiClient } from './gemini.ts'
import { messagesClient } from './messages.ts'
import { responsesClient } from './responses.ts'

export const clients: Record<DoorName, DialectClient> = {
  chat: chatClient,
  messages: messagesClient,
  responses: responsesClient,
  gemini: geminiClient,
}
