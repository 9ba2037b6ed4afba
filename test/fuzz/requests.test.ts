// Chat requests of every shape: whatever a client sends is either refused with a typed error or becomes a body that the
// strict simulators accept. Nothing else may be thrown.

import fc from 'fast-check'
import { describe, it } from 'vitest'
import { Notes } from '../../src/core/notes.ts'
import type { TurnRequest } from '../../src/core/request.ts'
import { fromChatRequest } from '../../src/protocols/openai-chat/request-in.ts'
import {
  anyJson,
  becomesChat,
  becomesMessages,
  modelNames,
  mostAccepted,
  patience,
  toAnthropic,
  typed,
} from './accepted.ts'
import { chatRequests } from './chat-request.ts'
import { fuzz } from './settings.ts'

const read = (body: unknown): TurnRequest | undefined => typed(() => fromChatRequest(body, new Notes()).turn)

describe('Chat requests', patience, () => {
  it('that are plausible become Messages requests that the strict simulator accepts', () => {
    mostAccepted(fc.tuple(chatRequests({ conforming: false }), modelNames), ([body, name]) =>
      becomesMessages(read(body), name),
    )
  })

  it('that are plausible become Chat requests that the strict simulator accepts', () => {
    mostAccepted(fc.tuple(chatRequests({ conforming: true }), fc.boolean()), ([body, faithful]) => {
      const turn = read(body)
      if (!turn) return false
      const origin = faithful ? turn.origin : { ...turn.origin, dialect: 'another' }
      return becomesChat({ ...turn, origin })
    })
  })

  it('that are anything at all are refused with a typed error, or pass', () => {
    const names = [
      'model',
      'messages',
      'tools',
      'tool_choice',
      'stop',
      'stream',
      'role',
      'content',
      'type',
      'text',
      'function',
      'name',
      'arguments',
      'tool_calls',
      'id',
      'tool_call_id',
      'image_url',
      'url',
      'file',
      '__proto__',
      'constructor',
      'response_format',
      'n',
      'input',
      'instructions',
      'system',
      'call_id',
      'output',
      'tool_use_id',
      'input_schema',
      'custom',
      'format',
      'grammar',
      'thinking',
      'budget_tokens',
    ]
    const words = [
      'user',
      'assistant',
      'tool',
      'system',
      'function',
      'function_call',
      'function_call_output',
      'custom',
      'custom_tool_call',
      'reasoning',
      'tool_use',
      'tool_result',
      'thinking',
      'input_text',
      'input_image',
      'text',
      'image_url',
      'auto',
      'required',
      '{}',
      '',
      '[',
      'data:,',
    ]
    const { value, fields } = anyJson(names, words)
    const body = fc.record(
      {
        model: fc.oneof(fc.constant('m'), value),
        messages: fc.oneof(value, fc.array(fields)),
        tools: value,
        tool_choice: value,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(body, value), modelNames, (anything, name) => {
        const turn = read(anything)
        if (turn) toAnthropic(turn, name)
      }),
      fuzz,
    )
  })
})
