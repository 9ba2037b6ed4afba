// Numbers that a double cannot hold, or would spell differently: from every door to every kind of backend they come out as they
// went in. Cursor's protocol has doubles only: a note names those that it changes.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasOddNumber, keepSpelling, parseExact, writeAll, writeExact } from '../../src/base/exact-json.ts'
import { Notes } from '../../src/core/notes.ts'
import type { TurnRequest } from '../../src/core/request.ts'
import { AnthropicReader } from '../../src/protocols/anthropic-messages/read.ts'
import { fromMessagesRequest } from '../../src/protocols/anthropic-messages/request-in.ts'
import { BlobStore } from '../../src/protocols/cursor-agent/blobs.ts'
import { toConversation } from '../../src/protocols/cursor-agent/history-out.ts'
import { geminiModel } from '../../src/protocols/gemini/models.ts'
import { GeminiReader } from '../../src/protocols/gemini/read.ts'
import { fromGeminiRequest } from '../../src/protocols/gemini/request-in.ts'
import { toGeminiRequest } from '../../src/protocols/gemini/request-out.ts'
import { fromOllamaChat } from '../../src/protocols/ollama/request-in.ts'
import { ChatReader } from '../../src/protocols/openai-chat/read.ts'
import { fromChatRequest } from '../../src/protocols/openai-chat/request-in.ts'
import { ResponsesReader } from '../../src/protocols/openai-responses/read.ts'
import { fromResponsesRequest } from '../../src/protocols/openai-responses/request-in.ts'
import { toResponsesRequest } from '../../src/protocols/openai-responses/request-out.ts'
import { bodyText, hasOddInput } from '../../src/protocols/requests/body-text.ts'
import { familiesOf } from '../../src/protocols/tool-text/families.ts'
import { toTextRequest } from '../../src/protocols/tool-text/render.ts'
import { toAnthropic, toChat } from './accepted.ts'
import { fuzz } from './settings.ts'

const runs = { ...fuzz, numRuns: Math.ceil(fuzz.numRuns / 5) }

const digits = fc.stringMatching(/^[1-9][0-9]{16,30}$/)
/** As JSON spells a number, but not as JavaScript does. */
const odd = fc.oneof(
  fc.constantFrom(
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1E-400',
    '1.0',
    '-0',
    '0.1000000000000000055',
  ),
  digits,
  digits.map((text) => `0.${text}`),
  digits.map((text) => `-${text}e+5`),
)
const common = fc.oneof(fc.integer().map(String), fc.constantFrom('true', 'null', '"1.0"', '"\\"9e9"', '""'))
const name = fc.constantFrom('a', 'b', '__proto__', '1.0', 'c\\"d').map((text) => `"${text}"`)

const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, odd, common, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all.join(' , ')}]`),
  object: fc
    .uniqueArray(fc.tuple(name, tie('value')), { maxLength: 3, selector: ([key]) => key })
    .map((all) => `{${all.map(([key, text]) => `${key}: ${text}`).join(',\n')}}`),
}))
/** Arguments of a call: always with one odd number. */
const input = fc.tuple(odd, value).map(([number, more]) => `{"n": ${number}, "more": ${more}}`)

/** Blanks between the parts of JSON are no part of it. */
const compact = (text: string) => writeAll(parseExact(text))

const schemaOf = (number: string) =>
  `{"type":"object","properties":{"n":{"type":"number","default":${number},"minimum":${number}},"l":{"enum":[${number}]}}}`

/** Conversations with a call of these arguments, and a tool whose schema holds this number. */
const doors: Record<string, (input: string, number: string) => TurnRequest> = {
  chat: (given, number) => {
    const text = `{"model":"m","temperature":1.0,"messages":[{"role":"user","content":"go"},
      {"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":${JSON.stringify(given)}}}]},
      {"role":"tool","tool_call_id":"c1","content":"done"}],
      "tools":[{"type":"function","function":{"name":"f","parameters":${schemaOf(number)}}}]}`
    return read(text, (body) => fromChatRequest(body, new Notes()).turn)
  },
  'chat, arguments as an object': (given, number) => {
    const text = `{"model":"m","messages":[{"role":"user","content":"go"},
      {"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":${given}}}]},
      {"role":"tool","tool_call_id":"c1","content":"done"}],
      "tools":[{"type":"function","function":{"name":"f","parameters":${schemaOf(number)}}}]}`
    return read(text, (body) => fromChatRequest(body, new Notes()).turn)
  },
  messages: (given, number) => {
    const text = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},
      {"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":${given}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"done"}]}],
      "tools":[{"name":"f","input_schema":${schemaOf(number)}}]}`
    return read(text, (body) => fromMessagesRequest(body, new Notes()).turn)
  },
  responses: (given, number) => {
    const text = `{"model":"m","input":[{"role":"user","content":"go"},
      {"type":"function_call","call_id":"c1","name":"f","arguments":${JSON.stringify(given)}},
      {"type":"function_call_output","call_id":"c1","output":"done"}],
      "tools":[{"type":"function","name":"f","parameters":${schemaOf(number)}}]}`
    const earlier = { conversation: () => undefined, item: () => undefined }
    return read(text, (body) => fromResponsesRequest(body, new Notes(), earlier as never).turn)
  },
  gemini: (given, number) => {
    const text = `{"contents":[{"role":"user","parts":[{"text":"go"}]},
      {"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":${given}}}]},
      {"role":"user","parts":[{"functionResponse":{"id":"c1","name":"f","response":{"output":"done"}}}]}],
      "tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":${schemaOf(number)}}]}]}`
    return read(text, (body) => fromGeminiRequest(body, new Notes(), { model: 'm', stream: true }).turn)
  },
  ollama: (given, number) => {
    const text = `{"model":"m","messages":[{"role":"user","content":"go"},
      {"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":${given}}}]},
      {"role":"tool","tool_name":"f","content":"done"}],
      "tools":[{"type":"function","function":{"name":"f","parameters":${schemaOf(number)}}}]}`
    return read(text, (body) => fromOllamaChat(body, new Notes()).turn)
  },
}

function read(text: string, from: (body: unknown) => TurnRequest): TurnRequest {
  const body: unknown = JSON.parse(text)
  keepSpelling(text, body)
  const turn = from(body)
  // A repair, so that it is written anew in every dialect.
  return { ...turn, origin: { ...turn.origin, text, faithful: false } }
}

const note = () => undefined

function toGemini(turn: TurnRequest) {
  const model = geminiModel('gemini-3.8-flash')
  const options = {
    model,
    source: 'here',
    hasCallIds: true,
    mayForward: false,
    recall: () => undefined,
    note,
  }
  return toGeminiRequest(turn, options).body
}

function toResponses(turn: TurnRequest) {
  const traits = {
    ...{ isOpenAI: true, efforts: undefined, reasonsByDefault: true },
    ...{ fixed: [], fixedWhile: 'always' as const, refuses: [] },
  }
  const options = {
    traits,
    source: 'here',
    recall: () => undefined,
    isTaken: () => true,
    note,
    withdraw: note,
  }
  return toResponsesRequest(turn, options)
}

const formats = ['json', 'xml'] as const

/** What goes upstream, as text in which arguments and schemas can be found. */
const backends: Record<string, (turn: TurnRequest) => string> = {
  openai: (turn) => bodyText(toChat(turn, 'box.example') ?? {}, turn.origin),
  anthropic: (turn) => bodyText(toAnthropic(turn, 'claude-sonnet-4-5') ?? {}, turn.origin, hasOddInput(turn)),
  gemini: (turn) => bodyText(toGemini(turn), turn.origin, hasOddInput(turn)),
  responses: (turn) => bodyText(toResponses(turn), turn.origin),
  ...Object.fromEntries(
    formats.map((format) => [
      `text, ${format}`,
      (turn: TurnRequest) => {
        const markup = { format, callTag: 'tool_call', resultTag: 'tool_result' }
        const { markers } = familiesOf(markup)
        const options = { markup, systemRole: true, markers, note: () => undefined }
        return JSON.stringify(toTextRequest(turn, options).request.messages)
      },
    ]),
  ),
}

/** Each number of `given` occurs in `sent` equally often, in any context. */
function expectNumbers(sent: string, given: string): void {
  for (const number of numbersIn(given)) expect(numbersIn(sent)).toContain(number)
}
const numbersIn = (text: string) => text.match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g) ?? []

describe('exact JSON', () => {
  it('is written as it was read, but for blanks', () => {
    fc.assert(
      fc.property(input, (text) => {
        const written = writeExact(parseExact(text))
        expect(numbersIn(written)).toEqual(numbersIn(text))
        expect(JSON.parse(written)).toEqual(JSON.parse(text))
        expect(JSON.stringify(parseExact(text))).toBe(JSON.stringify(JSON.parse(text)))
      }),
      runs,
    )
  })

  it('is what JSON.stringify writes where no number is odd', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => {
        const plain = JSON.stringify(JSON.parse(text))
        if (!hasOddNumber(plain)) expect(writeAll(parseExact(plain))).toBe(plain)
      }),
      runs,
    )
  })

  it('does not follow a number that was changed, or came under a name twice', () => {
    const body = parseExact('{"a":1.0,"b":[9007199254740993],"c":{"x":1.0},"c":{"x":2}}') as Record<
      string,
      unknown
    >
    body.a = 2
    expect(writeExact({ ...body, d: -0 })).toBe('{"a":2,"b":[9007199254740993],"c":{"x":2},"d":0}')
  })
})

describe.each(Object.keys(doors))('numbers from the door for %s', (door) => {
  it.each(Object.keys(backends))('to a backend of kind %s', (backend) => {
    fc.assert(
      fc.property(input, odd, (given, number) => {
        const turn = doors[door]?.(given, number) as TurnRequest
        const sent = backends[backend]?.(turn) ?? ''
        expectNumbers(sent, compact(given))
        expect(numbersIn(sent).filter((one) => one === number).length).toBeGreaterThanOrEqual(3)
      }),
      { ...runs, numRuns: Math.ceil(runs.numRuns / 4) },
    )
  })

  it('to Cursor: what a double does not hold is named in a note', () => {
    const notesFor = (given: string) => {
      const notes: string[] = []
      const blobs = new BlobStore()
      const turn = doors[door]?.(given, '1') as TurnRequest
      const messages = [
        ...turn.messages,
        { role: 'user' as const, content: [{ type: 'text' as const, text: 'on' }] },
      ]
      const note = (text: string) => notes.push(text)
      toConversation({ system: '', messages, mode: 1, blobs, isOwnModel: true, note })
      return notes.join('\n')
    }
    expect(notesFor('{"n":9007199254740993,"m":[1e400,0.1000000000000000055]}')).toContain(
      'digits were lost: 9007199254740993, 1e400, 0.1000000000000000055',
    )
    expect(notesFor('{"n":1.0,"m":[-0,1e3,0.5,9007199254740992.0]}')).toBe('')
  })
})

describe('numbers in answers', () => {
  const options = {
    turnId: 'turn_1',
    model: 'm',
    backend: 'box',
    wholeArguments: true,
    note: () => undefined,
  }
  const inputs = (events: { type: string }[]) =>
    events.flatMap((event) => (event.type === 'tool-call-end' ? [(event as { input?: string }).input] : []))
  const message = (data: string) => ({ event: undefined, data })

  it('keep their digits where arguments are values', () => {
    fc.assert(
      fc.property(input, (given) => {
        const call = `"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":${given}}}]`
        const whole = `{"choices":[{"message":{${call}},"finish_reason":"tool_calls"}]}`
        const chat = new ChatReader(options).whole(JSON.parse(whole), whole)
        const chunk = `{"choices":[{"delta":{${call}},"finish_reason":"tool_calls"}]}`
        const streamed = new ChatReader(options).push([message(chunk), message('[DONE]')])
        const block = `{"type":"tool_use","id":"c","name":"f","input":${given}}`
        const anthropic = new AnthropicReader({ ...options, toolName: (text) => text }).push([
          message(`{"type":"content_block_start","index":0,"content_block":${block}}`),
          message('{"type":"content_block_stop","index":0}'),
          message('{"type":"message_delta","delta":{"stop_reason":"tool_use"}}'),
          message('{"type":"message_stop"}'),
        ])
        const answer = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${given}}}]},"finishReason":"STOP"}]}`
        const google = { ...options, source: 'here' }
        const gemini = new GeminiReader(google).whole(JSON.parse(answer), answer)
        const geminiChunk = new GeminiReader(google).push([message(answer)])
        const item = `{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":${JSON.stringify(given)},"status":"completed"}`
        const response = `{"id":"r","object":"response","status":"completed","output":[${item}]}`
        const responses = new ResponsesReader({
          ...options,
          source: 'here',
          offered: new Set(['f']),
          onReasoning: () => undefined,
        }).whole(JSON.parse(response), response)
        for (const events of [chat, streamed, anthropic, gemini, geminiChunk, responses])
          expect(inputs(events).map((text) => numbersIn(text ?? ''))).toEqual([numbersIn(given)])
      }),
      runs,
    )
  })
})
