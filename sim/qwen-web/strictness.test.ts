// What the web chat refuses, and what it accepts and records.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type QwenWebSim, startQwenWebSim } from '../qwen-web.ts'
import { completionBody, newChatBody, type Question, QwenClient, version } from './test-client.fixture.ts'

let sim: QwenWebSim
let client: QwenClient
let chatId: string
beforeAll(async () => {
  sim = await startQwenWebSim({ apiKey: 'secret' })
  client = new QwenClient(sim.url, 'secret')
  chatId = await client.newChat()
})
afterAll(() => sim.close())
afterEach(() => sim.clear())

const ask = (extra: Partial<Question> = {}) => client.ask({ chatId, text: 'hi', ...extra })
const refusal = (code: string, details: unknown = expect.any(String)) => ({
  success: false,
  request_id: expect.any(String),
  data: { code, details },
})

describe('refuses', () => {
  it('requests without a version', async () => {
    const headers = { authorization: 'Bearer secret' }
    const answers = [
      await ask({ headers }),
      await client.post('/api/v2/chats/new', newChatBody(), headers),
      await client.call('DELETE', `/api/v2/chats/${chatId}`, headers),
    ]
    for (const { status, json } of answers) expect([status, json]).toEqual([200, refusal('Bad_Request')])
    expect(sim.violations).toHaveLength(3)
  })

  it.each([version, { ...version, authorization: 'Bearer other' }])('a wrong token: %j', async (headers) => {
    const { status, json } = await ask({ headers })
    expect([status, json]).toEqual([401, refusal('Unauthorized')])
    expect((await client.post('/api/v2/chats/new', newChatBody(), headers)).status).toBe(401)
  })

  it('nothing if the token is in a cookie', async () => {
    const headers = { ...version, cookie: 'cna=x; token=secret' }
    expect((await ask({ headers })).text).not.toBe('')
    expect(sim.violations).toEqual([])
  })

  it.each([
    ['another chat_id in the body', { chat_id: 'other' }, 'chat_id'],
    ['an answer that is no stream', { stream: false }, 'stream must be one of true'],
    ['no parent_id', { parent_id: undefined }, 'parent_id is missing'],
    ['no model', { model: undefined }, 'model is missing'],
    ['no messages', { messages: [] }, 'messages'],
    ['a chat_mode that is none', { chat_mode: 'odd' }, 'chat_mode must be one of normal, guest'],
  ])('%s', async (_, body, words) => {
    const { status, json } = await ask({ body })
    expect([status, json]).toEqual([200, refusal('Bad_Request', expect.stringContaining(words))])
    expect(sim.violations).toHaveLength(1)
  })

  it.each([
    ['no fid', { fid: undefined }, 'messages.0.fid is missing'],
    ['no chat_type', { chat_type: undefined }, 'messages.0.chat_type is missing'],
    ['content that is none', { content: 7 }, 'messages.0.content must be of type string'],
    ['an odd thinking format', { feature_config: { thinking_format: 'x' } }, 'thinking_format'],
    ['too long a message', { content: 'x'.repeat(131_073) }, 'too long'],
  ])('%s', async (_, message, words) => {
    const { json } = await ask({ message })
    expect(json).toEqual(refusal('Bad_Request', expect.stringContaining(words)))
    expect(sim.violations).toEqual([expect.stringContaining(words)])
  })

  it('no message of the maximum length', async () => {
    expect((await ask({ text: 'x'.repeat(131_072) })).deltas.length).toBeGreaterThan(0)
  })

  it('an unknown chat or parent', async () => {
    const strange = await client.ask({ chatId: 'strange', text: 'hi' })
    expect(strange.json).toEqual(refusal('Not_Found', 'the chat strange is not exist'))
    const orphan = await ask({ parentId: 'nobody' })
    expect(orphan.json).toEqual(refusal('Not_Found', 'the parent message nobody is not exist'))
    const other = await client.newChat()
    const { responseId } = await ask()
    const elsewhere = await client.ask({ chatId: other, parentId: responseId, text: 'hi' })
    expect(elsewhere.json).toEqual(refusal('Not_Found', expect.stringContaining('is not exist')))
    expect(sim.violations).toEqual([])
  })

  it('the same message twice', async () => {
    const body = completionBody({ chatId, text: 'hi' })
    const path = `/api/v2/chat/completions?chat_id=${chatId}`
    expect((await client.post(path, body)).text).not.toBe('')
    expect((await client.post(path, body)).json).toEqual(refusal('Bad_Request'))
  })

  it('a second request while the chat is busy, but none in another chat', async () => {
    sim.play([{ say: 'x' }, { wait: 60_000 }])
    const leave = new AbortController()
    const first = await fetch(`${sim.url}/api/v2/chat/completions?chat_id=${chatId}`, {
      method: 'POST',
      headers: client.headers,
      body: JSON.stringify(completionBody({ chatId, text: 'hi' })),
      signal: leave.signal,
    })
    expect(first.status).toBe(200)
    expect((await ask()).json).toEqual(refusal('Bad_Request', 'The chat is in progress!'))
    expect((await client.ask({ chatId: await client.newChat(), text: 'hi' })).text).not.toBe('')
    leave.abort()
    await expect.poll(async () => (await ask()).text).not.toBe('')
    expect(sim.violations).toEqual([])
  })

  it('unknown models and paths', async () => {
    const own = await startQwenWebSim({ models: ['qwen3-max'] })
    const other = new QwenClient(own.url)
    const id = await other.newChat()
    const { json } = await other.ask({ chatId: id, text: 'hi', body: { model: 'x' } })
    expect(json).toEqual(refusal('Not_Found', 'the model x is not exist'))
    await own.close()
    expect((await client.call('GET', '/nowhere')).status).toBe(404)
    const retired = await client.post('/api/chat/completions', {})
    expect([retired.status, retired.type]).toEqual([504, 'text/html; charset=utf-8'])
  })

  it('new chats without required fields', async () => {
    const { json } = await client.post('/api/v2/chats/new', newChatBody({ models: [] }))
    expect(json).toEqual(refusal('Bad_Request'))
  })
})

describe('answers with nothing', () => {
  it.each([
    ['two users', ['user', 'user']],
    ['a system and a user', ['system', 'user']],
    ['an assistant', ['assistant']],
  ])('%s', async (_, roles) => {
    const [message] = completionBody({ chatId, text: 'hi' }).messages as object[]
    const { status, deltas, type } = await ask({
      body: { messages: roles.map((role) => ({ ...message, role })) },
    })
    expect([status, type, deltas]).toEqual([200, 'text/event-stream; charset=utf-8', []])
    expect(sim.violations).toEqual([expect.stringContaining(roles.join(', '))])
  })
})

describe('accepts and records', () => {
  it.each<[string, Partial<Question>, string]>([
    ['tools', { body: { tools: [] } }, 'tools: is taken and ignored'],
    ['a choice of tools', { body: { tool_choice: 'auto' } }, 'tool_choice: is taken and ignored'],
    ['a guest with a token', { body: { chat_mode: 'guest' } }, 'chat_mode: is "normal" with a token'],
    ['milliseconds', { body: { timestamp: 1_790_000_000_000 } }, 'timestamp: of a completion is in seconds'],
    ['two parents', { message: { parentId: 'x' } }, 'messages.0.parent_id: is not that of the request'],
  ])('%s', async (_, extra, words) => {
    expect((await ask(extra)).text).not.toBe('')
    expect(sim.violations).toEqual([words])
  })

  it('a request without output_schema, and answers without phases', async () => {
    sim.play([{ think: 'Hm' }, { say: 'Yes' }])
    const { deltas, text } = await ask({ config: { output_schema: undefined, thinking_enabled: true } })
    expect(deltas.some((delta) => 'phase' in delta)).toBe(false)
    expect(text).toBe('Yes')
    expect(sim.violations).toEqual([expect.stringContaining('output_schema')])
  })

  it('a parent that is not an answer', async () => {
    const { events } = await ask()
    const parentId = events[0]?.['response.created']?.parent_id ?? ''
    expect((await ask({ parentId })).text).not.toBe('')
    expect(sim.violations).toEqual([expect.stringContaining('parent_id: is a message of the user')])
  })

  it('a new chat with a time in seconds', async () => {
    await client.newChat({ timestamp: 1_790_000_000 })
    expect(sim.violations).toEqual(['timestamp: of a new chat is in milliseconds'])
  })
})
