import { describe, expect, it } from 'vitest'
import type { Message, TurnRequest } from '../../core/request.ts'
import {
  noteLeftOut,
  refuseUnsupported,
  type Thinking,
  thinkingFor,
  toCompletion,
  toNewChat,
} from './request-out.ts'

const request = (more: Partial<TurnRequest> = {}): TurnRequest => ({
  model: 'qwen3.7-plus',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  tools: [],
  stream: true,
  origin: { dialect: 'none', body: {}, faithful: false },
  ...more,
})
const notesOf = (more: Partial<TurnRequest>) => {
  const notes: string[] = []
  noteLeftOut(request(more), (note) => notes.push(note))
  return notes
}

describe('bodies', () => {
  it('of a new chat', () => {
    expect(toNewChat('qwen3.7-plus', 1_790_000_000_123)).toEqual({
      title: 'New Chat',
      models: ['qwen3.7-plus'],
      chat_mode: 'normal',
      chat_type: 't2t',
      timestamp: 1_790_000_000_123,
      project_id: '',
    })
  })

  const completion = (thinking: Thinking) =>
    toCompletion({
      chatId: 'chat-1',
      parentId: 'answer-1',
      model: 'qwen3.7-plus',
      text: 'hi',
      thinking,
      messageId: 'message-1',
      answerId: 'answer-2',
      nowMs: 1_790_000_000_999,
    })

  it('of a message: exactly one, with both spellings of its parent and times in seconds', () => {
    expect(completion('on')).toEqual({
      stream: true,
      version: '2.1',
      incremental_output: true,
      chat_id: 'chat-1',
      chat_mode: 'normal',
      model: 'qwen3.7-plus',
      parent_id: 'answer-1',
      timestamp: 1_790_000_000,
      messages: [
        {
          fid: 'message-1',
          parentId: 'answer-1',
          parent_id: 'answer-1',
          childrenIds: ['answer-2'],
          role: 'user',
          content: 'hi',
          user_action: 'chat',
          files: [],
          timestamp: 1_790_000_000,
          models: ['qwen3.7-plus'],
          chat_type: 't2t',
          sub_chat_type: 't2t',
          extra: { meta: { subChatType: 't2t' } },
          feature_config: {
            thinking_enabled: true,
            output_schema: 'phase',
            research_mode: 'normal',
            auto_thinking: false,
            thinking_mode: 'Thinking',
            thinking_format: 'summary',
            auto_search: false,
          },
        },
      ],
    })
  })

  it.each([
    ['off', { thinking_enabled: false, auto_thinking: false, thinking_mode: 'Disabled' }],
    ['auto', { thinking_enabled: true, auto_thinking: true, thinking_mode: 'Auto' }],
  ] as [Thinking, object][])('thinking %s', (thinking, expected) => {
    expect(completion(thinking)).toMatchObject({ messages: [{ feature_config: expected }] })
  })
})

describe('thinking', () => {
  it.each<[Thinking, TurnRequest['reasoning'], Thinking]>([
    ['auto', undefined, 'auto'],
    ['auto', { effort: 'none' }, 'off'],
    ['auto', { effort: 'low' }, 'on'],
    ['on', { effort: 'none' }, 'on'],
    ['off', { effort: 'high' }, 'off'],
  ])('setting %s, request %j: %s', (setting, reasoning, expected) => {
    expect(thinkingFor(setting, request(reasoning === undefined ? {} : { reasoning }))).toBe(expected)
  })
})

describe('unsupported content and settings', () => {
  const image = { type: 'image' as const, source: { url: 'https://x.example/a.png' } }
  const file = { type: 'file' as const, source: { fileId: 'f' } }
  const audio = { type: 'audio' as const, format: 'wav', data: '' }
  it.each<[string, Message]>([
    ['an image', { role: 'user', content: [{ type: 'text', text: 'see' }, image] }],
    ['a file', { role: 'user', content: [file] }],
    ['audio', { role: 'user', content: [audio] }],
    ['an image', { role: 'tool', results: [{ callId: 'c', content: [image] }] }],
  ])('%s is refused by name', (name, message) => {
    expect(() => refuseUnsupported(request({ messages: [message] }), 'qwen')).toThrow(
      expect.objectContaining({ code: 'unsupported', message: expect.stringContaining(`holds ${name}.`) }),
    )
  })

  it('too many or too long stop sequences are refused', () => {
    expect(() => refuseUnsupported(request({ stop: ['x'.repeat(1_001)] }), 'qwen')).toThrow(/stop sequence/)
    expect(() => refuseUnsupported(request({ stop: ['x'.repeat(1_000)] }), 'qwen')).not.toThrow()
    const many = Array.from({ length: 17 }, (_, at) => `x${at}`)
    expect(() => refuseUnsupported(request({ stop: many }), 'qwen')).toThrow(/16 stop sequences/)
    expect(() => refuseUnsupported(request({ stop: many.slice(1) }), 'qwen')).not.toThrow()
  })

  it.each<[string, string, Record<string, unknown>, string]>([
    [
      'openai-chat',
      'messages',
      { temperature: 0.5, max_tokens: 9, seed: 7, stop: 'x', user: 'me', metadata: { a: 'b' } },
      'max_tokens, metadata, seed, temperature, user',
    ],
    [
      'openai-responses',
      'input',
      { top_p: 0.5, max_output_tokens: 9, max_tool_calls: 1, prompt_cache_key: 'x', safety_identifier: 'me' },
      'max_output_tokens, max_tool_calls, safety_identifier, top_p',
    ],
    [
      'anthropic-messages',
      'messages',
      { top_k: 5, max_tokens: 9, stop_sequences: ['x'], metadata: { user_id: 'me' }, service_tier: 'auto' },
      'max_tokens, metadata, top_k',
    ],
  ])('settings of %s are left out, with one note that names them', (dialect, field, settings, named) => {
    const body = { model: 'x', [field]: [], ...settings }
    expect(notesOf({ origin: { dialect, body, faithful: true } })).toEqual([
      `not supported by the upstream and left out: ${named}`,
    ])
  })

  it('no note if nothing is left out', () => expect(notesOf({})).toEqual([]))

  it('notes what happens to effort and format', () => {
    expect(notesOf({ reasoning: { effort: 'high' } })).toEqual([
      expect.stringContaining('only thinking on or off'),
    ])
    expect(notesOf({ reasoning: { effort: 'none' } })).toEqual([])
    expect(notesOf({ responseFormat: { type: 'json' } })).toEqual([
      expect.stringContaining('asked for in words'),
    ])
  })
})
