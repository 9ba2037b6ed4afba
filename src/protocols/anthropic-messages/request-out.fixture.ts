// Translates Chat Completions requests for the tests of this folder. They cover the rows of Anthropic's request rules that
// test/wire-cases does not number. The strict simulator also accepts every body in these tests (test/fuzz/requests.test.ts).

import { Notes } from '../../core/notes.ts'
import { fromChatRequest } from '../openai-chat/request-in.ts'
import type { KeptBlock } from './kept-blocks.ts'
import { anthropicModel } from './models.ts'
import { toAnthropicRequest } from './request-out.ts'

export interface Sent {
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect bodies freely
  body: any
  notes: string[]
  toClient(name: string): string
}

export function send(
  more: Record<string, unknown>,
  options: { kept?: readonly KeptBlock[]; promptCache?: 'auto' | 'off' } = {},
): Sent {
  const { model = 'claude-sonnet-4-5', ...rest } = more
  const notes = new Notes()
  const { turn } = fromChatRequest({ model, messages: [{ role: 'user', content: 'hi' }], ...rest }, notes)
  const { body, names } = toAnthropicRequest(turn, {
    model: anthropicModel(String(model)),
    recall: () => options.kept && { blocks: options.kept },
    isRefused: () => false,
    bindsBlocks: true,
    promptCache: options.promptCache ?? 'off',
    note: (text) => notes.add(text),
  })
  return { body, notes: notes.all, toClient: names.toClient }
}

export const tool = (name: string, more: Record<string, unknown> = {}) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} }, ...more },
})
