// generateContent requests of every shape: refused with a typed error, or a body that the strict simulators accept. Nothing else may
// be thrown, and the client's body is not touched.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Notes } from '../../src/core/notes.ts'
import type { TurnRequest } from '../../src/core/request.ts'
import { fromGeminiRequest } from '../../src/protocols/gemini/request-in.ts'
import { withoutForeignParts } from '../../src/protocols/requests/opaque-parts.ts'
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
import { geminiRequests } from './gemini-request.ts'
import { fuzz } from './settings.ts'

const model = 'box/asked'
const read = (body: unknown): TurnRequest | undefined =>
  typed(() => fromGeminiRequest(body, new Notes(), { model, stream: true }).turn)
const known = (turn: TurnRequest) => typed(() => withoutForeignParts(turn, [], () => undefined))

const named = (names: readonly string[], conforming: boolean) =>
  fc
    .constantFrom(...names)
    .chain((name) => geminiRequests(model, name, { conforming }).map((body) => ({ name, body })))

describe('Gemini requests', patience, () => {
  it('that are plausible become Messages requests that the strict simulator accepts', () => {
    mostAccepted(named(claudeNames, false), ({ name, body }) => {
      const before = JSON.stringify(body)
      const turn = read(body)
      const becomes = becomesMessages(turn && known(turn), name)
      expect(JSON.stringify(body)).toBe(before)
      return becomes
    })
  })

  it('that are plausible become Chat requests that the strict simulator accepts', () => {
    mostAccepted(named(['any'], true), ({ body }) => becomesChat(read(body)))
  })

  it('that are anything at all are refused with a typed error, or pass', () => {
    const names = [
      'contents', 'parts', 'role', 'text', 'thought', 'thoughtSignature', 'functionCall', 'function_call', 'functionResponse',
      'function_response', 'id', 'name', 'args', 'response', 'output', 'error', 'inlineData', 'fileData', 'fileUri', 'mimeType',
      'data', 'functionDeclarations', 'parameters', 'parametersJsonSchema', 'properties', 'items', 'anyOf', 'type', 'nullable',
      'enum', 'mode', 'functionCallingConfig', 'allowedFunctionNames', 'thinkingConfig', 'thinkingLevel', 'googleSearch',
      'generateContentRequest', '__proto__', 'constructor',
    ] // biome-ignore format: a list to be read as one
    const words = ['user', 'model', 'function', 'STRING', 'OBJECT', 'object', 'ANY', 'NONE', 'application/json', 'HIGH', '', '{}'] // biome-ignore format: a list to be read as one
    const { value, fields } = anyJson(names, words)
    const body = fc.record(
      {
        contents: fc.oneof(value, fc.array(fields)),
        systemInstruction: value,
        tools: fc.oneof(value, fc.array(fields)),
        toolConfig: fc.oneof(value, fields),
        generationConfig: fc.oneof(value, fields),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(body, value), modelNames, (anything, name) => {
        const turn = read(anything)
        const mine = turn && known(turn)
        if (!mine) return
        toAnthropic(mine, name)
        toChat(mine)
      }),
      fuzz,
    )
  })
})
