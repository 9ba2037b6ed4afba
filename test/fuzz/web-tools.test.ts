// Web search and fetch: answers of search services and blocks of clients in any shape, and histories in any order.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { repairHistory } from '../../src/core/history.ts'
import type { AssistantPart, Message } from '../../src/core/request.ts'
import type { WebResult } from '../../src/core/web.ts'
import { readWebBlock, webBlocks } from '../../src/protocols/anthropic-messages/web-blocks.ts'
import { readWebItem, webItem } from '../../src/protocols/openai-responses/web-items.ts'
import { isAddress, namesAddress } from '../../src/protocols/web-tools/addresses.ts'
import { inputOf, resultsText } from '../../src/protocols/web-tools/function-tools.ts'
import { readResults, searchServices } from '../../src/protocols/web-tools/search-services.ts'
import { withWebHistory } from '../../src/protocols/web-tools/web-history.ts'

const odd = fc.oneof(fc.string(), fc.constantFrom('https://a.example/x', 'https://a.example:99999/', '<b>x</b>&amp;'), fc.integer(), fc.constant(null), fc.jsonValue()) // biome-ignore format: one list
const members = ['url', 'title', 'content', 'description', 'page_age', 'publishedDate', 'published_date']
const entry = fc.oneof(
  odd,
  fc.record(Object.fromEntries(members.map((name) => [name, odd])), { requiredKeys: [] }),
)
const list = fc.oneof(fc.array(entry, { maxLength: 6 }), odd)
const answer = fc.oneof(
  odd,
  fc.record(
    { results: list, web: fc.oneof(odd, fc.record({ results: list })), type: odd },
    { requiredKeys: [] },
  ),
)

it('any answer of a search service is read or refused, and results are bounded addresses of the web', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...searchServices),
      answer,
      fc.integer({ min: 1, max: 3 }),
      (service, given, count) => {
        const results = readResults(service, given, { count, blocked: ['b.example'] })
        for (const { url, title, text } of results ?? []) {
          expect(/^https?:\/\//i.test(url) && URL.canParse(url)).toBe(true)
          expect(title.length).toBeLessThanOrEqual(2_000)
          expect(text.length).toBeLessThanOrEqual(2_000)
        }
        expect((results ?? []).length).toBeLessThanOrEqual(count)
      },
    ),
  )
})

it('every page that a search finds can be fetched', () => {
  const url = fc
    .tuple(
      fc.webUrl(),
      fc.string({ unit: fc.oneof(fc.string(), fc.constantFrom(...`'"<>()[]{}|\\^\` .日。`)) }),
    )
    .map((parts) => parts.join('?'))
  fc.assert(
    fc.property(fc.array(url, { maxLength: 4 }), (urls) => {
      const results = readResults('searxng', { results: urls.map((one) => ({ url: one })) }, { count: 4 })
      for (const found of results ?? []) {
        expect(isAddress(found.url)).toBe(true)
        expect(namesAddress(resultsText(results ?? []), found.url)).toBe(true)
      }
      expect(results).toHaveLength(new Set(results?.map((one) => one.url)).size)
      if (urls.length > 0) expect(results).not.toEqual([])
    }),
  )
})

it('any block, item and call is read', () => {
  const type = fc.constantFrom(
    'server_tool_use',
    'web_search_tool_result',
    'web_fetch_tool_result',
    'web_search_call',
  )
  const block = fc.record({ type, id: odd, name: fc.constantFrom('web_search', 'web_fetch', 'x'), input: odd, content: fc.oneof(list, fc.record({ content: odd, error_code: odd })), tool_use_id: odd, action: fc.oneof(odd, fc.record({ sources: list, query: odd, url: odd, type: odd })) }, { requiredKeys: ['type'] }) // biome-ignore format: one record
  fc.assert(
    fc.property(block, fc.string(), (value, input) => {
      readWebBlock(value)
      readWebItem(value)
      inputOf('search', input)
    }),
  )
})

const result = fc.record({ url: fc.webUrl(), title: fc.string(), text: fc.string({ unit: 'grapheme' }) })

it('what was found comes back with the history', () => {
  fc.assert(
    fc.property(
      fc.array(result, { minLength: 1, maxLength: 4 }),
      fc.string(),
      (results: WebResult[], input) => {
        const event = {
          type: 'web-use' as const,
          id: 'a_1',
          name: 'web_search',
          use: { kind: 'search' as const, input, outcome: { results } },
        }
        const [call, found] = webBlocks(event).map((block) => readWebBlock(JSON.parse(JSON.stringify(block))))
        expect(call?.id).toBe(found?.id)
        expect(inputOf('search', call?.input ?? '')).toBe(input.trim() === '' ? undefined : input.trim())
        for (const { url, title, text } of results)
          for (const part of [url, title, text]) expect(found?.result).toContain(part)
        expect(readWebItem(webItem(event, 0, { id: 'x' }))).toMatchObject({
          kind: 'search',
          input: JSON.stringify({ query: input }),
        })
      },
    ),
  )
})

const id = fc.constantFrom('w1', 'w2', 'w3')
const opaque = { type: 'opaque' as const, dialect: 'd', value: {} }
const part = fc.oneof(
  fc.string({ minLength: 1 }).map((text): AssistantPart => ({ type: 'text', text })),
  id.map((one): AssistantPart => ({ ...opaque, web: { id: one, kind: 'search', input: '{"query":"q"}' } })),
  id.map((one): AssistantPart => ({ ...opaque, web: { id: one, kind: 'search', result: `found ${one}` } })),
  fc
    .constantFrom('c1', 'c2')
    .map((callId): AssistantPart => ({ type: 'tool-call', callId, name: 'read', input: '{}' })),
)
const message = fc.oneof(
  fc
    .uniqueArray(part, { minLength: 1, maxLength: 6, selector: (one) => JSON.stringify(one) })
    .map((content): Message => ({ role: 'assistant', content })),
  fc.constant<Message>({ role: 'user', content: [{ type: 'text', text: 'go' }] }),
)

it('every search of a history becomes a call with one result after it, and nothing else is lost', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), (given) => {
      const messages = repairHistory(given, () => undefined)
      const out = withWebHistory(messages, new Map([['search', 'web_search']]))
      const notes: string[] = []
      repairHistory(out, (note) => void notes.push(note))
      expect(notes).toEqual([])
      const textsOf = (all: readonly Message[]) =>
        all.flatMap((one) =>
          one.role === 'assistant'
            ? one.content.flatMap((piece) => (piece.type === 'text' ? piece.text : []))
            : [],
        )
      expect(textsOf(out)).toEqual(textsOf(messages))
      expect(JSON.stringify(out)).not.toContain('"web"')
    }),
  )
})
