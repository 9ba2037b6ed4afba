import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AssistantPart, Message, Tool, TurnRequest } from '../../core/request.ts'
import { searchesAsCalls } from './past-searches.ts'
import { load, planDeferral, requestWith } from './plan-deferral.ts'

const tool = (name: string, deferred = false): Tool => ({
  name,
  schema: { type: 'object' },
  ...(deferred ? { deferred: true } : {}),
})
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })
const request = (tools: Tool[], more: Partial<TurnRequest> = {}): TurnRequest => ({
  model: 'm',
  messages: [user('hi')],
  tools,
  stream: false,
  origin: { dialect: 'openai-chat', body: {}, faithful: true },
  ...more,
})
const opaqueTool = { dialect: 'anthropic-messages', kind: 'tool_search_tool_bm25', name: 'find', value: {} }
const toolSearch = { tool: opaqueTool, name: 'find', by: 'words' as const }
const facts = { searches: false, remembered: [] }

const namesFor = (asked: TurnRequest, limit: number | undefined, remembered: string[] = []) => {
  const plan = planDeferral(asked, { limit, searches: false, remembered })
  return plan && requestWith(plan, plan.request, plan.loaded, true).tools.map(({ name }) => name)
}

describe('planDeferral', () => {
  it('leaves a request alone that the service can take', () => {
    expect(planDeferral(request([tool('a')]), facts)).toBeUndefined()
    expect(planDeferral(request([tool('a')]), { ...facts, limit: 1 })).toBeUndefined()
    // A client that searches itself has loaded what it marks.
    expect(planDeferral(request([tool('a', true)]), facts)).toBeUndefined()
    const searched = request([tool('a', true)], { toolSearch })
    expect(planDeferral(searched, { ...facts, searches: true, limit: 0 })).toBeUndefined()
  })

  it('replaces marked tools by the search, under the name that the client knows', () => {
    const asked = request([tool('a'), tool('b', true), tool('c', true)], {
      toolSearch,
      opaqueTools: [opaqueTool],
    })
    expect(namesFor(asked, undefined)).toEqual(['a', 'find'])
    expect(planDeferral(asked, facts)?.request).toMatchObject({ origin: { faithful: false } })
    expect(planDeferral(asked, facts)?.request.opaqueTools).toBeUndefined()
  })

  it('loads what was found, called or named, in this order, and marks none of it', () => {
    const call: AssistantPart = { type: 'tool-call', callId: '1', name: 'd', input: '{}' }
    const found: AssistantPart = {
      type: 'opaque',
      dialect: 'x',
      value: {},
      search: { id: '1', found: ['c', 'gone'] },
    }
    const messages: Message[] = [user('hi'), { role: 'assistant', content: [found, call] }]
    const tools = ['b', 'c', 'd', 'e'].map((name) => tool(name, true))
    const asked = request([tool('a'), ...tools], {
      toolSearch,
      messages,
      toolChoice: { type: 'tool', name: 'e' },
    })
    const plan = planDeferral(asked, facts)
    expect(plan?.loaded).toEqual(['c', 'd', 'e'])
    const sent = plan && requestWith(plan, plan.request, plan.loaded, true).tools
    expect(sent?.map(({ name }) => name)).toEqual(['a', 'find', 'c', 'd', 'e'])
    expect(sent?.some(({ deferred }) => deferred)).toBe(false)
  })

  it('the list never exceeds the limit, has no tool twice, and only grows while there is room', () => {
    const name = fc.constantFrom('own', 'mcp__a__b', 'mcp__c__d', 'srv.x')
    const tools = fc
      .array(name, { minLength: 9, maxLength: 60 })
      .map((list) => list.map((each, at) => tool(`${each}_${at}`)))
    const order = fc.array(fc.nat({ max: 59 }), { maxLength: 30 })
    fc.assert(
      fc.property(tools, fc.integer({ min: 8, max: 40 }), order, (given, limit, loads) => {
        const loaded: string[] = []
        let before = namesFor(request(given), limit)
        expect(before === undefined).toBe(given.length <= limit)
        if (before === undefined) return
        const start = before.length
        for (const at of loads) {
          const next = given[at]?.name
          if (next !== undefined && !loaded.includes(next)) loaded.push(next)
          const list = namesFor(request(given), limit, loaded) ?? []
          expect(list.length).toBeLessThanOrEqual(limit)
          expect(new Set(list).size).toBe(list.length)
          const isFull = list.length === limit && before.length === limit
          expect(isFull ? list.slice(0, start) : list.slice(0, before.length)).toEqual(
            isFull ? before.slice(0, start) : before,
          )
          before = list
        }
      }),
    )
  })

  it('a tool that made way comes back when it is found again, and what was found last stays', () => {
    const tools = Array.from({ length: 30 }, (_, at) => tool(`t${at}`))
    const limit = 8
    const { core = [], room = 0 } = planDeferral(request(tools), { ...facts, limit }) ?? {}
    expect(room).toBe(2)
    const rest = tools.slice(core.length).map(({ name }) => name)
    const [a = '', b = '', c = ''] = rest
    const loaded = new Set<string>()
    for (const name of [a, b, c, a]) load(loaded, name, room)
    expect([...loaded]).toEqual([c, a])
    const call: AssistantPart = { type: 'tool-call', callId: '1', name: b, input: '{}' }
    const messages: Message[] = [user('hi'), { role: 'assistant', content: [call] }]
    expect(namesFor(request(tools, { messages }), limit, [c, a])?.slice(-2)).toEqual([c, a])
  })

  it('the name of the search is free', () => {
    const many = [tool('search_tools'), ...Array.from({ length: 20 }, (_, at) => tool(`t${at}`))]
    expect(namesFor(request(many), 10)).toContain('search_tools_2')
  })
})

describe('searchesAsCalls', () => {
  const call = (id: string): AssistantPart => ({
    type: 'opaque',
    dialect: 'x',
    value: {},
    search: { id, query: 'q' },
  })
  const result = (id: string): AssistantPart => ({
    type: 'opaque',
    dialect: 'x',
    value: {},
    search: { id, found: ['a'] },
  })
  const text: AssistantPart = { type: 'text', text: 'Hm.' }

  it('makes a search a call and its result, between the parts around it', () => {
    const content = [text, call('1'), result('1'), text]
    expect(searchesAsCalls([{ role: 'assistant', content }], 'find')).toEqual([
      {
        role: 'assistant',
        content: [text, { type: 'tool-call', callId: '1', name: 'find', input: '{"query":"q"}' }],
      },
      {
        role: 'tool',
        results: [{ callId: '1', content: [{ type: 'text', text: 'Loaded: a. Call them directly now.' }] }],
      },
      { role: 'assistant', content: [text] },
    ])
  })

  it('leaves out a search without its result, and a result without its search', () => {
    expect(searchesAsCalls([{ role: 'assistant', content: [call('1'), text] }], 'find')).toEqual([
      { role: 'assistant', content: [text] },
    ])
    expect(searchesAsCalls([{ role: 'assistant', content: [result('1'), text] }], 'find')).toEqual([
      { role: 'assistant', content: [text] },
    ])
  })

  it('searches at once keep their own results, and calls beside them come last', () => {
    const real: AssistantPart = { type: 'tool-call', callId: 'c', name: 'own', input: '{}' }
    const asked = (id: string, query: string) => ({ ...call(id), search: { id, query } })
    const content = [real, asked('1', 'one'), asked('2', 'two'), result('2'), result('1'), text]
    const messages = searchesAsCalls([{ role: 'assistant', content }], 'find')
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant', 'tool', 'assistant'])
    const calls = messages.flatMap((each) => (each.role === 'assistant' ? each.content : []))
    expect(calls).toMatchObject([
      { callId: '2', input: '{"query":"two"}' },
      { callId: '1', input: '{"query":"one"}' },
      text,
      real,
    ])
  })
})
