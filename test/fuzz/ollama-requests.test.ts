// Requests of Ollama's API of every shape: refused with a typed error, or a body that the strict simulators accept. Nothing else may be
// thrown, and the client's body is not touched. cloud-requests.test.ts has the other services.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Notes } from '../../src/core/notes.ts'
import type { TurnRequest } from '../../src/core/request.ts'
import { fromOllamaChat, fromOllamaGenerate, preloadOf } from '../../src/protocols/ollama/request-in.ts'
import {
  anyJson,
  becomesChat,
  becomesMessages,
  claudeNames,
  modelNames,
  mostAccepted,
  patience,
  toAnthropic,
  toChat,
  typed,
} from './accepted.ts'
import { ollamaRequests } from './ollama-request.ts'
import { fuzz } from './settings.ts'

const read = (body: unknown): TurnRequest | undefined => typed(() => fromOllamaChat(body, new Notes()).turn)

describe("requests of Ollama's API", patience, () => {
  it('that are plausible become Messages requests that the strict simulator accepts', () => {
    mostAccepted(fc.tuple(ollamaRequests(), fc.constantFrom(...claudeNames)), ([body, name]) => {
      const before = JSON.stringify(body)
      const turn = read(body)
      const becomes = becomesMessages(turn, name)
      expect(JSON.stringify(body)).toBe(before)
      return becomes
    })
  })

  it('that are plausible become Chat requests that the strict simulator accepts', () => {
    mostAccepted(ollamaRequests({ conforming: true }), (body) => becomesChat(read(body)))
  })

  it('that are anything at all are refused with a typed error, or pass', () => {
    const names = [
      'model', 'name', 'messages', 'role', 'content', 'thinking', 'images', 'tool_calls', 'function', 'arguments', 'tool_name',
      'tool_call_id', 'id', 'tools', 'type', 'parameters', 'properties', 'options', 'num_predict', 'temperature', 'stop', 'think',
      'format', 'keep_alive', 'stream', 'prompt', 'system', 'suffix', 'raw', 'context', 'toString', '__proto__', 'constructor',
    ] // biome-ignore format: a list to be read as one
    const words = [
      'user',
      'assistant',
      'system',
      'tool',
      'function',
      'json',
      'low',
      '0s',
      '5m',
      'iVBORw0KGgo',
      '/9j/',
      '',
      '{}',
    ]
    const { value, fields } = anyJson(names, words)
    const body = fc.record(
      {
        model: fc.oneof(fc.constant('m'), value),
        messages: fc.oneof(value, fc.array(fields)),
        tools: fc.oneof(value, fc.array(fields)),
        options: fc.oneof(value, fields),
        prompt: value,
        images: value,
        keep_alive: value,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(body, value), modelNames, (anything, name) => {
        typed(() => preloadOf(anything))
        for (const turn of [read(anything), typed(() => fromOllamaGenerate(anything, new Notes()).turn)]) {
          if (!turn) continue
          toAnthropic(turn, name)
          toChat(turn)
        }
      }),
      fuzz,
    )
  })
})
