// Requests of every dialect, as they go to Gemini, Bedrock and Vertex: refused with a typed error, or accepted by the strict
// simulator. Nothing else may be thrown.

import fc from 'fast-check'
import { describe, it } from 'vitest'
import { Notes } from '../../src/core/notes.ts'
import type { TurnRequest } from '../../src/core/request.ts'
import { fromMessagesRequest } from '../../src/protocols/anthropic-messages/request-in.ts'
import { fromGeminiRequest } from '../../src/protocols/gemini/request-in.ts'
import { fromOllamaChat } from '../../src/protocols/ollama/request-in.ts'
import { fromChatRequest } from '../../src/protocols/openai-chat/request-in.ts'
import { fromResponsesRequest } from '../../src/protocols/openai-responses/request-in.ts'
import { anyJson, mostAccepted, patience, typed } from './accepted.ts'
import { chatRequests } from './chat-request.ts'
import { geminiRequests } from './gemini-request.ts'
import { messagesRequests } from './messages-request.ts'
import { ollamaRequests } from './ollama-request.ts'
import { earlier, responsesRequests } from './responses-request.ts'
import { services } from './services.ts'
import { fuzzShare } from './settings.ts'

interface Dialect {
  dialect: string
  requests(model: string): fc.Arbitrary<unknown>
  read(body: unknown): TurnRequest
}

const dialects: readonly Dialect[] = [
  {
    dialect: 'Chat',
    requests: () => chatRequests({ conforming: false }),
    read: (body) => fromChatRequest(body, new Notes()).turn,
  },
  {
    dialect: 'Messages',
    requests: (model) => messagesRequests(model, { conforming: false }),
    read: (body) => fromMessagesRequest(body, new Notes()).turn,
  },
  {
    dialect: 'Gemini',
    requests: (model) => geminiRequests('box/asked', model),
    read: (body) => fromGeminiRequest(body, new Notes(), { model: 'box/asked', stream: true }).turn,
  },
  {
    dialect: 'Responses',
    requests: responsesRequests,
    read: (body) => fromResponsesRequest(body, new Notes(), earlier).turn,
  },
  {
    dialect: 'Ollama',
    requests: () => ollamaRequests(),
    read: (body) => fromOllamaChat(body, new Notes()).turn,
  },
]

/** Pictures by address are refused beforehand, and many requests have one. */
const share = { least: 0.25, runs: fuzzShare(0.4) }

describe.each(dialects)('$dialect requests that are plausible', patience, ({ requests, read }) => {
  it.each(services)('are accepted by $service', ({ models, accepts }) => {
    const cases = models.chain((model) => requests(model).map((body) => ({ model, body })))
    mostAccepted(
      cases,
      ({ model, body }) => {
        const turn = typed(() => read(body))
        const isAccepted = turn !== undefined && accepts(turn, model)
        return isAccepted
      },
      share,
    )
  })
})

describe('requests that are anything at all', patience, () => {
  const names = [
    ...[
      'messages',
      'contents',
      'input',
      'role',
      'content',
      'parts',
      'type',
      'text',
      'tools',
      'name',
      'function',
      'id',
      'arguments',
    ],
    ...[
      'tool_choice',
      'tool_calls',
      'tool_call_id',
      'tool_use_id',
      'input_schema',
      'source',
      'thinking',
      'cache_control',
      'system',
    ],
    ...[
      'output_config',
      'format',
      'effort',
      'context_management',
      'edits',
      'functionCall',
      'functionResponse',
      'args',
      'response',
    ],
    ...[
      'functionDeclarations',
      'parameters',
      'thoughtSignature',
      'tool_name',
      'images',
      'toString',
      'valueOf',
      '__proto__',
      'constructor',
    ],
  ]
  const words = [
    ...[
      'user',
      'assistant',
      'model',
      'tool',
      'system',
      'text',
      'tool_use',
      'tool_result',
      'image',
      'url',
      'function',
      'custom',
    ],
    ...[
      'web_search_20250305',
      'tool_search_tool_regex',
      'clear_tool_uses_20250919',
      'message',
      'function_call',
      '',
      '{}',
    ],
  ]
  const { value, fields } = anyJson(names, words)
  const list = fc.oneof(value, fc.array(fields))
  const body = fc.record(
    {
      ...{
        model: fc.constant('m'),
        max_tokens: fc.constant(9),
        messages: list,
        contents: list,
        input: list,
        tools: list,
      },
      ...{
        tool_choice: value,
        system: value,
        thinking: value,
        output_config: fields,
        context_management: fields,
      },
    },
    { requiredKeys: ['model', 'max_tokens'] },
  )

  it.each(services)(
    'are refused with a typed error on the way to $service, or pass',
    ({ models, bodyOf }) => {
      fc.assert(
        fc.property(body, models, (anything, model) => {
          for (const { read } of dialects) {
            const turn = typed(() => read(anything))
            if (turn) bodyOf(turn, model)
          }
        }),
        share.runs,
      )
    },
  )
})
