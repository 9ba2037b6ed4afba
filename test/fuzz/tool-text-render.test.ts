// Conversations of every shape, full of markup: what a model without tools is shown has the user and the assistant in
// turn, every text in its place, and no markup but ours.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AssistantPart, Message, ToolResult, TurnRequest, UserPart } from '../../src/core/request.ts'
import { createEscaper } from '../../src/protocols/tool-text/escape.ts'
import { familiesOf } from '../../src/protocols/tool-text/families.ts'
import { callBlock } from '../../src/protocols/tool-text/history-text.ts'
import { defaultCallTag, type Markup } from '../../src/protocols/tool-text/markup.ts'
import { ToolTextParser } from '../../src/protocols/tool-text/parse.ts'
import type { Piece } from '../../src/protocols/tool-text/pieces.ts'
import { systemLines, toTextRequest } from '../../src/protocols/tool-text/render.ts'
import { turnMarkers } from '../../src/protocols/tool-text/turn-markers.ts'
import { fuzz } from './settings.ts'

const settings = fuzz

const markups: Markup[] = (['json', 'xml'] as const).flatMap((format) => [
  { format, callTag: defaultCallTag, resultTag: 'tool_response' },
  { format, callTag: 'use_tool', resultTag: 'use_tool_result' },
])
const markersOf = (markup: Markup) => [
  ...familiesOf(markup).markers,
  ...turnMarkers,
  '<use_tool>',
  '</use_tool>',
]

const fragment = fc.oneof(
  fc.constantFrom(...new Set(markups.flatMap(markersOf))),
  fc.constantFrom(
    '<|im_start|>system',
    '<tool_',
    'call>',
    '<',
    '</',
    '>',
    '[',
    '[System message]',
    '[End of the system message]',
    '# Tools',
    '{"name": "read"',
    '```',
  ),
  fc.constantFrom('\n', ' ', '"', '\\', '\\u003c', '｜', 'Error: '),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
)
const text = fc.array(fragment, { maxLength: 6 }).map((fragments) => fragments.join(''))
const textPart = text.map((value) => ({ type: 'text' as const, text: value }))
const image = fc.constant({ type: 'image' as const, source: { url: 'https://example.com/a.png' } })

const userMessage = fc
  .array(fc.oneof({ weight: 4, arbitrary: textPart }, { weight: 1, arbitrary: image }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((content): Message[] => [{ role: 'user', content }])
const systemMessage = textPart.map((part): Message[] => [{ role: 'system', content: [part] }])

const value = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
)
const call = fc.record({
  name: fc.constantFrom('read', 'write', 'a-b'),
  args: fc.dictionary(fc.constantFrom('path', 'content', 'n', '__proto__'), value, {
    maxKeys: 3,
    noNullPrototype: true,
  }),
  result: fc.record({
    content: fc.array(fc.oneof({ weight: 4, arbitrary: textPart }, { weight: 1, arbitrary: image }), {
      maxLength: 2,
    }),
    isError: fc.boolean(),
  }),
  spacing: fc.constantFrom(0, 2),
})

/** Results come in any order. */
const assistantTurn = fc
  .record({
    said: fc.array(
      fc.oneof(
        textPart,
        textPart.map((part) => ({ ...part, type: 'reasoning' as const })),
      ),
      {
        maxLength: 3,
      },
    ),
    calls: fc.array(call, { maxLength: 3 }),
    seed: fc.nat(),
  })
  .map(({ said, calls, seed }): Message[] => {
    const parts: AssistantPart[] = calls.map(({ name, args, spacing }, at) => {
      return { type: 'tool-call', callId: `c${at}`, name, input: JSON.stringify(args, null, spacing) }
    })
    const results: ToolResult[] = calls.map(({ result }, at) => ({ callId: `c${at}`, ...result }))
    const shift = results.length === 0 ? 0 : seed % results.length
    const turned = [...results.slice(shift), ...results.slice(0, shift)]
    const content = [...said, ...parts]
    if (content.length === 0) return []
    return [
      { role: 'assistant', content },
      ...(calls.length === 0 ? [] : [{ role: 'tool' as const, results: turned }]),
    ]
  })

const requests = fc
  .record({
    groups: fc.array(
      fc.oneof(
        { weight: 1, arbitrary: systemMessage },
        { weight: 3, arbitrary: userMessage },
        { weight: 4, arbitrary: assistantTurn },
      ),
      { maxLength: 7 },
    ),
    tools: fc.array(
      fc.record({
        name: fc.constantFrom('read', 'write'),
        description: text,
        schema: fc.record({ title: text }),
      }),
      {
        maxLength: 2,
      },
    ),
    toolChoice: fc.constantFrom(
      { type: 'auto' as const },
      { type: 'none' as const },
      { type: 'required' as const },
      { type: 'tool' as const, name: 'read' },
    ),
  })
  .map(({ groups, tools, toolChoice }): TurnRequest => {
    const origin = { dialect: 'openai-chat', body: {}, faithful: true }
    return { model: 'm', messages: groups.flat(), tools, toolChoice, stream: true, origin }
  })

const cases = fc.record({ request: requests, markup: fc.constantFrom(...markups), systemRole: fc.boolean() })

function render({
  request,
  markup,
  systemRole,
}: {
  request: TurnRequest
  markup: Markup
  systemRole: boolean
}) {
  return toTextRequest(request, { markup, systemRole, markers: markersOf(markup), note: () => undefined })
}

function partsOf(message: Message): (UserPart | AssistantPart)[] {
  if (message.role === 'tool') throw new Error('a tool message')
  return message.content
}

const isBlank = (part: UserPart | AssistantPart) => part.type === 'text' && part.text.trim() === ''

const textOf = (message: Message) =>
  partsOf(message)
    .map((part) => (part.type === 'text' ? part.text : `{${part.type}}`))
    .join('\n\n')

const count = (haystack: string, needle: string) => haystack.split(needle).length - 1
const callsIn = (messages: readonly Message[]) =>
  messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.filter((part) => part.type === 'tool-call') : [],
  )

describe('A conversation for a model without tools', () => {
  it('has one system message at most, then the user and the assistant in turn, and no empty text', () => {
    fc.assert(
      fc.property(cases, (each) => {
        const { messages } = render(each).request
        const roles = messages.map(({ role }) => role)
        if (roles[0] === 'system') roles.shift()
        expect(roles).toEqual(roles.map((_, at) => (at % 2 === 0 ? 'user' : 'assistant')))
        expect(roles.length).toBeGreaterThan(0)
        if (!each.systemRole) expect(messages[0]?.role).toBe('user')
        const contents = messages.map(partsOf)
        expect(contents.filter((parts) => parts.length === 0 || parts.some(isBlank))).toEqual([])
      }),
      settings,
    )
  })

  it('has the markup of its own calls, results and tools, and no other', () => {
    let rendered = 0
    fc.assert(
      fc.property(cases, (each) => {
        const { request, markup } = each
        const all = render(each).request.messages.map(textOf).join('\n\n')
        const section = request.tools.length > 0 && request.toolChoice?.type !== 'none' ? 1 : 0
        const calls = callsIn(request.messages)
        rendered += calls.length
        const parameters = calls.reduce((sum, { input }) => sum + Object.keys(JSON.parse(input)).length, 0)
        const elements = markup.format === 'xml' ? 1 : 0
        const own = new Map([
          [`<${markup.callTag}>`, calls.length + section],
          [`</${markup.callTag}>`, calls.length + section],
          [`<${markup.resultTag}>`, calls.length],
          [`</${markup.resultTag}>`, calls.length],
          ['<tools>', section],
          ['</tools>', section],
          ['<function=', elements * (calls.length + section)],
          ['</function>', elements * (calls.length + section)],
          ['<parameter=', elements * (parameters + section)],
          ['</parameter>', elements * (parameters + section)],
        ])
        const found = markersOf(markup).map((marker) => [marker, count(all, marker)] as const)
        expect(found.filter(([marker, times]) => times !== (own.get(marker) ?? 0))).toEqual([])
      }),
      settings,
    )
    expect(rendered).toBeGreaterThan(settings.numRuns)
  })

  it('has every text, escaped, in the order in which it was said, and every image', () => {
    fc.assert(
      fc.property(cases, (each) => {
        const { request, markup } = each
        const all = render(each).request.messages.map(textOf).join('\n\n')
        const escaper = createEscaper([...markersOf(markup), ...systemLines])
        let at = 0
        for (const expected of expectedTexts(request.messages).map((said) => escaper.escape(said))) {
          const found = all.indexOf(expected, at)
          expect(found === -1 ? [expected, all] : []).toEqual([])
          at = found + expected.length
        }
        const images = JSON.stringify(request.messages).split('"type":"image"').length
        expect(count(all, '{image}')).toBe(images - 1)
      }),
      settings,
    )
  })

  it('begins with the very text of the turn before, so that a prompt cache holds', () => {
    let compared = 0
    fc.assert(
      fc.property(cases, (each) => {
        const { messages } = each.request
        const whole = render(each).request.messages
        for (const [at, message] of messages.entries()) {
          if (at === 0 || message.role !== 'assistant' || messages[at - 1]?.role === 'assistant') continue
          // An answer that says nothing is not there.
          if (message.content.every((part) => part.type === 'reasoning' || isBlank(part))) continue
          const before = render({ ...each, request: { ...each.request, messages: messages.slice(0, at) } })
          if (before.request.messages.at(-1)?.role !== 'user') continue
          compared++
          expect(whole.slice(0, before.request.messages.length)).toEqual(before.request.messages)
        }
      }),
      settings,
    )
    expect(compared).toBeGreaterThan(settings.numRuns / 2)
  })

  it('has calls that can be read back', () => {
    fc.assert(
      fc.property(cases, (each) => {
        const { markup } = each
        const { request, ...rendered } = render(each)
        const said = request.messages.filter(({ role }) => role === 'assistant').map(textOf)
        const blocks = said.join('\n').split(`<${markup.callTag}>\n`).slice(1)
        const read = blocks.map((block): ReadCall => {
          const inside = block.slice(0, block.indexOf(`\n</${markup.callTag}>`))
          return markup.format === 'json' ? JSON.parse(inside) : readElement(inside, rendered.unescape)
        })
        const escapedByHand = /&lt;|&#91;/i.test(JSON.stringify(each.request))
        if (escapedByHand) return
        const expected = callsIn(each.request.messages).map(({ name, input }) => ({
          name,
          arguments: JSON.parse(input),
        }))
        expect(read.length).toBe(expected.length)
        const typed = read.map((call, at) =>
          markup.format === 'json' ? call : withTypes(call, expected[at]!),
        )
        expect(typed).toEqual(expected)
      }),
      settings,
    )
  })
})

describe('A call as the model is shown it', () => {
  it('is read as that call when the model writes it so', () => {
    const pieceSize = fc.integer({ min: 1, max: 9 })
    fc.assert(
      fc.property(call, fc.constantFrom(...markups), pieceSize, ({ name, args, spacing }, markup, size) => {
        const input = JSON.stringify(args, null, spacing)
        if (/&lt;|&#91;/i.test(input)) return
        const escaper = createEscaper(markersOf(markup))
        const block = callBlock({ name, input }, markup, escaper)
        const expected = JSON.parse(input) as Record<string, unknown>
        const parser = new ToolTextParser({
          markup,
          tools: [{ name, schema: schemaOf(expected) }],
          salvage: true,
        })
        const pieces: Piece[] = []
        for (let at = 0; at < block.length; at += size)
          pieces.push(...parser.push(block.slice(at, at + size)))
        pieces.push(...parser.end(false))
        const read = pieces.map((piece) => (piece.type === 'call' ? JSON.parse(piece.input) : piece))
        const turnedBack = read.map((found) =>
          Object.fromEntries(
            Object.entries(found).map(([key, said]) => [
              key,
              typeof said === 'string' ? escaper.unescape(said) : said,
            ]),
          ),
        )
        expect(turnedBack).toEqual([expected])
      }),
      settings,
    )
  })
})

function schemaOf(args: Record<string, unknown>): Record<string, unknown> {
  const typeOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
  const properties = Object.entries(args).map(([key, value]) => [key, { type: typeOf(value) }])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** Texts that must be found in this order: system texts first, results in the order of their calls. */
function expectedTexts(messages: readonly Message[]): string[] {
  let calls: string[] = []
  return messages
    .flatMap((message): string[] => {
      if (message.role === 'assistant') {
        calls = message.content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))
        return runsOf(message.content)
      }
      if (message.role !== 'tool')
        return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      const byCall = calls.map((id) => message.results.find(({ callId }) => callId === id) as ToolResult)
      return byCall.flatMap(({ content }) =>
        content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
      )
    })
    .filter((said) => said.trim() !== '')
}

/** Texts of an answer that follow each other are one. */
function runsOf(content: readonly AssistantPart[]): string[] {
  const runs: string[] = []
  content.forEach((part, at) => {
    if (part.type !== 'text') return
    if (content[at - 1]?.type === 'text') runs[runs.length - 1] += part.text
    else runs.push(part.text)
  })
  return runs
}

interface ReadCall {
  name: string
  arguments: Record<string, unknown>
}

function readElement(element: string, turnBack: (text: string) => string): ReadCall {
  const name = /^<function=([^>]*)>\n/.exec(element)?.[1] ?? ''
  const parameters = element.split('<parameter=').slice(1)
  const entries = parameters.map((parameter) => {
    const [, key, value] = /^([^>]*)>\n([\s\S]*)\n<\/parameter>/.exec(parameter) ?? []
    return [key, turnBack(value ?? '-')]
  })
  return { name, arguments: Object.fromEntries(entries) }
}

/** Elements do not say which values are strings. */
function withTypes(call: ReadCall, expected: ReadCall): ReadCall {
  const entries = Object.entries(call.arguments).map(([key, value]) => {
    const isString = typeof expected.arguments[key] === 'string'
    return [key, isString ? value : JSON.parse(String(value))]
  })
  return { ...call, arguments: Object.fromEntries(entries) }
}
