// The web chat: answers in phases, the tree of messages, and what the model sees of it.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { QwenClient } from './qwen-web/test-client.fixture.ts'
import { type QwenWebSim, startQwenWebSim } from './qwen-web.ts'
import { toMarkup } from './text-chat/markup.ts'
import { callBlock, resultBlock, toolsSection } from './text-chat/prompt.fixture.ts'

let sim: QwenWebSim
let client: QwenClient
beforeAll(async () => {
  sim = await startQwenWebSim()
  client = new QwenClient(sim.url)
})
afterAll(() => sim.close())
afterEach(() => sim.clear())

const markup = toMarkup('action', 'json')
const tools = `Be brief.\n\n${toolsSection(markup)}`
const readA = '<action>\n{"name": "read", "arguments": {"path":"a.txt"}}\n</action>'
const readB = readA.replace('a.txt', 'b.txt')

describe('an answer', () => {
  it('begins with response.created, counts its usage, and ends with a status alone', async () => {
    sim.play([{ say: 'Hello there', pieces: 2 }])
    const chatId = await client.newChat()
    const { status, type, events, deltas, body, text } = await client.ask({ chatId, text: 'hi' })
    expect([status, type]).toEqual([200, 'text/event-stream; charset=utf-8'])
    const [created] = events
    const [user, response] = [...(sim.chats.get(chatId)?.messages.values() ?? [])]
    expect(created).toEqual({
      'response.created': { chat_id: chatId, parent_id: user?.id, response_id: response?.id },
    })
    expect(deltas).toEqual([
      { role: 'assistant', content: 'Hello ', phase: 'answer', status: 'typing' },
      { role: 'assistant', content: 'there', phase: 'answer', status: 'typing' },
      { role: 'assistant', content: '', phase: 'answer', status: 'finished' },
    ])
    expect(text).toBe('Hello there')
    const outputs = events.map(({ usage }) => usage?.output_tokens)
    expect(outputs).toEqual([undefined, 2, 4, undefined])
    expect(body).not.toMatch(/finish_reason|\[DONE\]|"model"/)
    expect(sim.violations).toEqual([])
  })

  it('has thinking as deltas, finished before the answer', async () => {
    sim.play([
      { think: 'Well now', pieces: 2 },
      { say: 'Yes', pieces: 1 },
    ])
    const chatId = await client.newChat()
    const config = { thinking_enabled: true, thinking_format: 'full' }
    const { deltas } = await client.ask({ chatId, text: 'hi', config })
    expect(deltas.map(({ phase, content, status }) => [phase, content, status])).toEqual([
      ['think', 'Well ', 'typing'],
      ['think', 'now', 'typing'],
      ['think', '', 'finished'],
      ['answer', 'Yes', 'typing'],
      ['answer', '', 'finished'],
    ])
  })

  it('or as paragraphs, all of them in each event', async () => {
    sim.play([{ think: 'One.\n\nTwo.' }, { say: 'Yes', pieces: 1 }])
    const chatId = await client.newChat()
    const config = { thinking_enabled: true, thinking_format: 'summary' }
    const { deltas } = await client.ask({ chatId, text: 'hi', config })
    const thoughts = deltas.filter(({ phase }) => phase === 'thinking_summary')
    expect(thoughts.map(({ content, status, extra }) => [content, status, extra?.summary_thought])).toEqual([
      ['', 'typing', { content: ['One.'] }],
      ['', 'typing', { content: ['One.', 'Two.'] }],
      ['', 'finished', { content: ['One.', 'Two.'] }],
    ])
  })

  it.each([{ thinking_enabled: false }, { thinking_enabled: true, thinking_mode: 'Disabled' }])(
    'has none with %j',
    async (config) => {
      sim.play([{ think: 'Hm' }, { say: 'Yes' }])
      const { deltas } = await client.ask({ chatId: await client.newChat(), text: 'hi', config })
      expect(new Set(deltas.map(({ phase }) => phase))).toEqual(new Set(['answer']))
    },
  )

  it('shows the thinking of the demo model', async () => {
    const config = { thinking_enabled: true, thinking_format: 'full' }
    const text = `${tools}\n\nRead a.txt`
    const { deltas } = await client.ask({ chatId: await client.newChat(), text, config })
    expect(deltas[0]?.phase).toBe('think')
  })

  it('sends the whole text in each event without incremental output', async () => {
    sim.play([{ say: 'a b c', pieces: 3 }])
    const body = { incremental_output: false }
    const { deltas } = await client.ask({ chatId: await client.newChat(), text: 'hi', body })
    expect(deltas.map(({ content }) => content)).toEqual(['a ', 'a b ', 'a b c', ''])
  })
})

describe('the model', () => {
  it('reads one message with the tools before the request', async () => {
    const chatId = await client.newChat()
    const { text } = await client.ask({ chatId, text: `${tools}\n\nRead a.txt and b.txt` })
    expect(text).toBe(`${readA}\n${readB}`)
  })

  it('reads a folded conversation', async () => {
    const turns = [
      tools,
      'The turns follow.',
      '### User\nRead a.txt, then read b.txt',
      `### Assistant\nFirst a.\n${callBlock(markup, 'read', { path: 'a.txt' })}`,
      `### User\n${resultBlock(markup, 'Alpha')}`,
    ]
    const folded = turns.join('\n\n')
    const next = await client.ask({ chatId: await client.newChat(), text: folded })
    expect(next.text).toBe(readB)
    const more = [folded, `### Assistant\n${readB}`, `### User\n${resultBlock(markup, 'Beta')}`].join('\n\n')
    const last = await client.ask({ chatId: await client.newChat(), text: more })
    expect(last.text).toBe('a.txt begins: Alpha\nb.txt begins: Beta')
  })

  it('reads a continued chat along the path from its root', async () => {
    const chatId = await client.newChat()
    const first = await client.ask({ chatId, text: `${tools}\n\nRead a.txt` })
    const results = { chatId, parentId: first.responseId, text: resultBlock(markup, 'Alpha') }
    const second = await client.ask(results)
    expect(second.text).toBe('a.txt begins: Alpha')
    const third = await client.ask({ chatId, parentId: second.responseId, text: 'Read b.txt' })
    expect(third.text).toBe(readB)
    // A branch does not see its siblings.
    const other = await client.ask({ chatId, parentId: null, text: 'Read b.txt' })
    expect(other.text).toContain('simulated model')
    expect(sim.violations).toEqual([])
  })

  it.each(['glm', 'invoke', 'kimi', 'bare-json'] as const)('knows its own calls: %s', async (manner) => {
    const own = await startQwenWebSim({ manner, intercepts: false })
    const other = new QwenClient(own.url)
    const chatId = await other.newChat()
    const text = `${toolsSection(markup, 'You must call `read`.')}\n\nRead a.txt`
    const first = await other.ask({ chatId, text })
    expect(first.text).toContain('a.txt')
    const results = { chatId, parentId: first.responseId, text: resultBlock(markup, 'Alpha') }
    expect((await other.ask(results)).text).toBe('a.txt begins: Alpha')
    await own.close()
  })

  it('uses the tools that were shown last', async () => {
    const chatId = await client.newChat()
    const first = await client.ask({ chatId, text: `${tools}\n\nhello` })
    const xml = toolsSection(toMarkup('deed', 'xml'))
    const second = await client.ask({ chatId, parentId: first.responseId, text: `${xml}\n\nRead a.txt` })
    expect(second.text).toBe(
      '<deed>\n<function=read>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</deed>',
    )
  })

  it('answers titles and plain questions', async () => {
    const text = 'Generate a short title for this conversation: Fix the login'
    expect((await client.ask({ chatId: await client.newChat(), text })).text).toBe('Fix the login')
  })
})

describe('native calls', () => {
  const native = `${toolsSection(toMarkup('tool_call', 'json'))}\n\nRead a.txt`

  it.each(['asked', 'qwen3-coder', 'glm'] as const)('are intercepted: %s', async (manner) => {
    sim.setManner(manner)
    const { text } = await client.ask({ chatId: await client.newChat(), text: native })
    expect(text).toBe('Tool read does not exists.')
  })

  it('are intercepted with another tag too', async () => {
    sim.setManner({ manner: 'native', times: 1 })
    const ask = async () => client.ask({ chatId: await client.newChat(), text: `${tools}\n\nRead a.txt` })
    expect((await ask()).text).toBe('Tool read does not exists.')
    expect((await ask()).text).toBe(readA)
  })

  it('are intercepted after text, which stays', async () => {
    sim.play([{ say: 'Let me see.' }, { call: { name: 'ls', arguments: {} }, as: 'native' }])
    const { text } = await client.ask({ chatId: await client.newChat(), text: 'hi' })
    expect(text).toBe('Let me see.\nTool ls does not exists.')
  })

  it('pass on request', async () => {
    const own = await startQwenWebSim({ intercepts: false })
    const other = new QwenClient(own.url)
    expect((await other.ask({ chatId: await other.newChat(), text: native })).text).toContain('<tool_call>')
    await own.close()
  })
})

describe('other routes', () => {
  it('lists models, in both places', async () => {
    for (const path of ['/api/models', '/api/v2/models/']) {
      const { body } = await client.call('GET', path)
      expect(body).toContain('"id":"qwen3-coder-plus"')
      expect(body).toContain('"max_context_length":1048576')
    }
  })

  it('keeps chats: listed, shown, deleted', async () => {
    const chatId = await client.newChat({ title: 'Kept' })
    sim.play([{ say: 'Yes' }])
    const { responseId } = await client.ask({ chatId, text: 'hi' })
    const shown = await client.call('GET', `/api/v2/chats/${chatId}`)
    expect(shown.json?.data).toMatchObject({ id: chatId, title: 'Kept', currentId: responseId })
    expect(shown.body).toContain('"content":"Yes"')
    expect((await client.call('GET', '/api/v2/chats/?page=1')).body).toContain(chatId)
    const deleted = await client.call('DELETE', `/api/v2/chats/${chatId}`)
    expect(deleted.json).toMatchObject({ success: true, data: { status: true } })
    const gone = await client.call('GET', `/api/v2/chats/${chatId}`)
    expect(gone.json).toMatchObject({ success: false, data: { code: 'Not_Found' } })
  })
})
