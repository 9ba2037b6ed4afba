// What single services insist on, in bodies that are otherwise forwarded unchanged.

import { describe, expect, it } from 'vitest'
import { Notes } from '../../core/notes.ts'
import { fromMessagesRequest } from '../anthropic-messages/request-in.ts'
import { fromChatRequest } from './request-in.ts'
import { toChatRequest } from './request-out.ts'
import { serverTraits } from './servers.ts'

function send(more: Record<string, unknown>, { host = '127.0.0.1', model = 'some-model' } = {}) {
  const notes = new Notes()
  const { turn } = fromChatRequest({ model, messages: [{ role: 'user', content: 'hi' }], ...more }, notes)
  const body = toChatRequest(turn, {
    traits: serverTraits(host, model),
    recall: () => undefined,
    note: (text) => notes.add(text),
  })
  return { body, notes: notes.all }
}

const call = { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } }
const results = [
  { role: 'user', content: 'go' },
  { role: 'assistant', content: '', tool_calls: [call] },
  { role: 'tool', tool_call_id: 'a', content: 'A' },
]
const roles = ({ body }: ReturnType<typeof send>) =>
  (body.messages as { role: string }[]).map((message) => message.role)

describe('toChatRequest', () => {
  it('developer messages are system messages except to OpenAI', () => {
    const messages = [{ role: 'developer', content: 'be brief' }, ...results]
    expect(roles(send({ messages }))[0]).toBe('system')
    expect(roles(send({ messages }, { host: 'api.deepseek.com', model: 'deepseek-chat' }))[0]).toBe('system')
    expect(roles(send({ messages }, { host: 'api.openai.com', model: 'gpt-5' }))[0]).toBe('developer')
  })

  it("another service's thinking is sent only to servers that insist on reasoning", () => {
    const messages = [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: '' },
          { type: 'text', text: 'so' },
        ],
      },
      { role: 'user', content: 'on' },
    ]
    const sentTo = (model: string) => {
      const { turn } = fromMessagesRequest({ model, messages, max_tokens: 9 }, new Notes())
      const traits = serverTraits('127.0.0.1', model)
      return toChatRequest(turn, { traits, recall: () => undefined, note: () => undefined }).messages
    }
    expect(sentTo('llama')).toContainEqual({ role: 'assistant', content: 'so' })
    expect(sentTo('deepseek-v4')).toContainEqual({
      role: 'assistant',
      content: 'so',
      reasoning_content: 'hm',
    })
    const own = { role: 'assistant', content: 'so', reasoning_content: 'hm' }
    expect(send({ messages: [messages[0], own, messages[2]] }).body.messages).toContainEqual(own)
  })

  it('a user id that services would refuse becomes a stable digest; others stay unchanged', () => {
    const sentAs = (user_id: string) => {
      const request = { model: 'm', max_tokens: 9, messages: results.slice(0, 1), metadata: { user_id } }
      const { turn } = fromMessagesRequest(request, new Notes())
      const traits = serverTraits('127.0.0.1', 'm')
      return toChatRequest(turn, { traits, recall: () => undefined, note: () => undefined }).user
    }
    const odd = `{"device_id":"${'d'.repeat(64)}"}`
    expect(sentAs(odd)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(sentAs(odd)).toBe(sentAs(odd))
    expect(sentAs(odd)).not.toBe(sentAs(`${odd} `))
    expect(sentAs('user_1-a')).toBe('user_1-a')
    expect(send({ user: odd }).body.user).toBe(odd)
  })

  it('images in results follow after all results: OpenAI takes only text there', () => {
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
    const messages = [
      results[0],
      { role: 'assistant', content: '', tool_calls: [call, { ...call, id: 'b' }] },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'B' }, picture] },
      { role: 'tool', tool_call_id: 'a', content: 'A' },
    ]
    const { body } = send({ messages })
    expect(body.messages).toEqual([
      ...messages.slice(0, 2),
      { role: 'tool', tool_call_id: 'b', content: 'B' },
      messages[3],
      { role: 'user', content: [picture] },
    ])
  })

  it('a repair leaves the other messages unchanged, so their prompt cache holds', () => {
    const cache_control = { type: 'ephemeral' }
    const messages = [
      { role: 'system', content: [{ type: 'text', text: 's', cache_control }] },
      { role: 'user', name: 'ada', content: [{ type: 'text', text: 'go' }] },
      {
        role: 'assistant',
        content: '',
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }],
        tool_calls: [{ ...call, extra_content: { google: { thought_signature: 'y' } } }],
      },
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'A', cache_control }] },
      { role: 'assistant', content: '', tool_calls: [{ ...call, id: 'b' }] },
      { role: 'user', content: 'that call was interrupted' },
    ]
    const { body, notes } = send({ messages })
    const sent = body.messages as unknown[]
    expect(sent.slice(0, 5)).toEqual(messages.slice(0, 5))
    expect(sent[5]).toMatchObject({ role: 'tool', tool_call_id: 'b' })
    expect(sent[6]).toEqual(messages[5])
    expect(notes).toEqual(['a tool call without a result was answered with an error'])
  })

  it('without tools, sends no field about tools', () => {
    const { body } = send({ tools: [], tool_choice: 'none', parallel_tool_calls: false, seed: 1 })
    expect(Object.keys(body).sort()).toEqual(['messages', 'model', 'seed'])
  })

  it.each([
    ['api.openai.com', { max_tokens: 5 }, { max_completion_tokens: 5 }],
    ['api.openai.com', { max_completion_tokens: 5 }, { max_completion_tokens: 5 }],
    ['api.mistral.ai', { max_completion_tokens: 5 }, { max_tokens: 5 }],
    ['127.0.0.1', { max_completion_tokens: 5 }, { max_completion_tokens: 5 }],
    ['127.0.0.1', { max_tokens: 5 }, { max_tokens: 5 }],
  ])('%s: %j is sent as %j', (host, given, expected) => {
    const { max_tokens, max_completion_tokens } = send(given, { host }).body
    expect({ max_tokens, max_completion_tokens }).toEqual({
      max_tokens: undefined,
      max_completion_tokens: undefined,
      ...expected,
    })
  })

  it('templates with one system message get one, at the start', () => {
    const cached = { type: 'text', text: 'two', cache_control: { type: 'ephemeral' } }
    const messages = [
      { role: 'developer', content: 'one' },
      { role: 'system', content: [cached] },
      ...results,
      { role: 'system', content: 'three' },
      { role: 'assistant', content: 'A' },
      { role: 'user', content: [{ type: 'text', text: 'and?' }] },
      { role: 'developer', content: 'four' },
    ]
    const { body, notes } = send({ messages }, { model: 'Qwen3.6-27B' })
    expect(body.messages).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'one' }, cached] },
      ...results,
      { role: 'user', content: '<system>\nthree\n</system>' },
      messages[6],
      {
        role: 'user',
        content: [
          { type: 'text', text: 'and?' },
          { type: 'text', text: '<system>\nfour\n</system>' },
        ],
      },
    ])
    expect(notes).toEqual(['a system message inside the conversation was sent as user text'])
    expect(roles(send({ messages }))).toEqual(messages.map(({ role }) => role.replace('developer', 'system')))
  })

  it('Mistral models get an assistant message between tool results and the user', () => {
    const messages = [...results, { role: 'user', content: 'stop' }]
    for (const served of [{ host: 'api.mistral.ai' }, { model: 'mistralai/Devstral-Small-2' }]) {
      const sent = send({ messages }, served)
      expect(roles(sent)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
      expect(sent.notes.join()).toContain('added between')
    }
    expect(roles(send({ messages }))).toEqual(['user', 'assistant', 'tool', 'user'])
  })
})

describe('requests of another dialect', () => {
  function translate(more: Record<string, unknown>, { host = '127.0.0.1', model = 'some-model' } = {}) {
    const notes = new Notes()
    const asked = { model, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], ...more }
    const { turn } = fromMessagesRequest(asked, notes)
    const traits = serverTraits(host, model)
    const body = toChatRequest(turn, { traits, recall: () => undefined, note: (text) => notes.add(text) })
    return { body, notes: notes.all.join('; ') }
  }

  it('fields without a counterpart are named in a note', () => {
    const { body, notes } = translate({
      top_k: 5,
      inference_geo: 'us',
      service_tier: 'auto',
      temperature: 0.5,
      stop_sequences: ['END'],
      metadata: { user_id: 'u' },
    })
    expect(body).toMatchObject({ max_tokens: 9, temperature: 0.5, stop: ['END'], user: 'u' })
    expect(notes).toBe('not supported by the upstream and left out: inference_geo, top_k')
  })

  it('a system message inside the conversation becomes user text, except for OpenAI', () => {
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'system', content: 'be brief' },
    ]
    const { body, notes } = translate({ system: 'an agent', messages })
    expect(body.messages).toEqual([
      { role: 'system', content: 'an agent' },
      { role: 'user', content: 'hi\n\n<system>\nbe brief\n</system>' },
    ])
    expect(notes).toBe('a system message inside the conversation was sent as user text')
    const sent = translate({ system: 'an agent', messages }, { host: 'api.openai.com', model: 'gpt-5' })
    expect(sent.body.messages).toMatchObject([{ role: 'system' }, { role: 'user' }, { role: 'system' }])
  })

  const openai = { host: 'api.openai.com', model: 'gpt-4o' }
  it.each([
    [{ thinking: { type: 'adaptive' } }, {}, undefined, ''],
    [{ output_config: { effort: 'low' } }, {}, 'low', ''],
    [{ output_config: { effort: 'max' } }, {}, 'max', ''],
    [{ output_config: { effort: 'max' } }, { model: 'gpt-5' }, 'high', 'was sent as "high"'],
    [{ output_config: { effort: 'low' } }, openai, undefined, 'left out'],
    [{ thinking: { type: 'disabled' } }, {}, undefined, 'left out'],
  ])('%j becomes an effort that the service takes', (more, where, effort, says) => {
    const { body, notes } = translate(more, where)
    expect(body.reasoning_effort).toBe(effort)
    expect(notes).toContain(says)
  })
})
