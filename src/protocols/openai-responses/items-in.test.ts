import { describe, expect, it } from 'vitest'
import type { Message } from '../../core/request.ts'
import { toEncryptedContent } from './reasoning-proof.ts'
import { called, hi, png, read, readForOthers, text } from './request-in.fixture.ts'

describe('input', () => {
  const rows: [string, unknown, Partial<Message>[]][] = [
    ['a string', 'hi', [hi as Message]],
    ['messages without type', [{ role: 'user', content: 'hi' }], [hi as Message]],
    [
      'developer, user and assistant messages of parts',
      [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'be brief' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
        {
          type: 'message',
          id: 'msg_1',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'hello', annotations: [] }],
        },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: '' },
            { type: 'input_text', text: 'more' },
          ],
        },
      ],
      [
        { role: 'system', content: [text('be brief')] },
        hi,
        { role: 'assistant', content: [text('hello')] },
        { role: 'user', content: [text('more')] },
      ] as Message[],
    ],
    [
      'images, files and audio',
      [
        {
          role: 'user',
          content: [
            { type: 'input_image', image_url: png, detail: 'low' },
            { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' },
            { type: 'input_image', file_id: 'file-1' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
            { type: 'input_file', file_url: 'https://example.com/a.pdf' },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
            { type: 'input_text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit' } },
          ],
        },
      ],
      [
        {
          role: 'user',
          content: [
            { type: 'image', source: { mediaType: 'image/png', data: 'iVBORw0=' }, detail: 'low' },
            { type: 'image', source: { url: 'https://example.com/a.png' } },
            { type: 'image', source: { fileId: 'file-1' } },
            { type: 'file', filename: 'a.pdf', source: { mediaType: 'application/pdf', data: 'JVBERi0=' } },
            { type: 'file', source: { url: 'https://example.com/a.pdf' } },
            { type: 'audio', data: 'AAAA', format: 'wav' },
            { type: 'text', text: 'x', cache: {} },
          ],
        },
      ],
    ],
    [
      'one answer in many items is one message; results of both kinds follow it',
      [
        { role: 'user', content: 'hi' },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [
            { type: 'summary_text', text: 'a' },
            { type: 'summary_text', text: 'b' },
          ],
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] },
        { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"x"}' },
        { type: 'custom_tool_call', call_id: 'c2', name: 'apply_patch', input: '*** "x"' },
        { type: 'function_call', call_id: 'c3', namespace: 'agents', name: 'close', arguments: '' },
        { type: 'function_call_output', call_id: 'c1', output: 'text' },
        {
          type: 'custom_tool_call_output',
          call_id: 'c2',
          output: [
            { type: 'input_text', text: 'done' },
            { type: 'input_image', image_url: png },
          ],
        },
        { type: 'function_call_output', call_id: 'c3', output: '' },
      ],
      [
        hi,
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'a\n\nb' },
            text('ok'),
            called('c1', 'read', '{"path":"x"}'),
            called('c2', 'apply_patch', '{"input":"*** \\"x\\""}'),
            called('c3', 'agents__close'),
          ],
        },
        {
          role: 'tool',
          results: [
            { callId: 'c1', content: [text('text')] },
            {
              callId: 'c2',
              content: [
                text('done'),
                { type: 'image', source: { mediaType: 'image/png', data: 'iVBORw0=' } },
              ],
            },
            { callId: 'c3', content: [] },
          ],
        },
      ] as Message[],
    ],
    [
      'reasoning as text; empty reasoning is nothing',
      [
        { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'deep' }] },
        { type: 'reasoning', summary: [], encrypted_content: null },
        { role: 'user', content: 'hi' },
      ],
      [{ role: 'assistant', content: [{ type: 'reasoning', text: 'deep' }] }, hi as Message],
    ],
  ]
  it.each(rows)('%s', (_name, input, messages) => {
    const request = read({ input })
    expect(request.turn.messages).toEqual(messages)
    expect(request.notes).toEqual([])
    expect(request.turn.origin).toMatchObject({ dialect: 'openai-responses', faithful: true })
  })

  it('instructions come first', () => {
    expect(read({ instructions: 'be brief' }).turn.messages).toEqual([
      { role: 'system', content: [text('be brief')] },
      hi,
    ])
  })

  describe('encrypted reasoning', () => {
    const items = (encrypted_content: string | undefined, summary: string[] = ['a']) => [
      {
        type: 'reasoning',
        summary: summary.map((text) => ({ type: 'summary_text', text })),
        encrypted_content,
      },
      { role: 'user', content: 'hi' },
    ]
    const signed = String(toEncryptedContent({ model: 'm', text: 'a' }, { signature: 's+/=' }))
    const sealed = (value: object) => `dragoman1.${Buffer.from(JSON.stringify(value)).toString('base64url')}`

    it('is restored unchanged', () => {
      const own = read({ input: items(signed) })
      expect(own.turn.messages[0]).toEqual({
        role: 'assistant',
        content: [{ type: 'reasoning', text: 'a', signature: 's+/=' }],
      })
      const hidden = toEncryptedContent({ model: 'm', text: '' }, { redacted: 'r' })
      expect(read({ input: items(hidden, []) }).turn.messages[0]).toEqual({
        role: 'assistant',
        content: [{ type: 'reasoning', text: '', redacted: 'r' }],
      })
      expect(own.notes).toEqual([])
    })

    it.each([
      ['of another model', toEncryptedContent({ model: 'n', text: 'a' }, { redacted: 'r' })],
      ['of other words', toEncryptedContent({ model: 'm', text: 'b' }, { signature: 's' })],
      ['of another service', 'gAAAA…'],
      ['that is nothing', 'dragoman1.x'],
      ['that proves nothing', sealed({})],
      ['of wrong types', sealed({ signature: 7, redacted: {}, sum: null })],
      ['that holds an array', sealed([])],
    ])('%s is left out with a note, the text stays', (_name, content) => {
      const { turn, notes } = read({ input: items(content) })
      expect(turn.messages[0]).toEqual({ role: 'assistant', content: [{ type: 'reasoning', text: 'a' }] })
      expect(notes).toEqual([
        'encrypted reasoning was left out: it is of another model or service, or was changed',
      ])
      expect(read({ input: items(content, []) }).turn.messages).toEqual([hi])
    })

    it('a change of a single letter is detected', () => {
      for (let at = 0; at < signed.length; at++) {
        const letter = signed[at] === 'A' ? 'B' : 'A'
        const changed = signed.slice(0, at) + letter + signed.slice(at + 1)
        const [message] = read({ input: items(changed) }).turn.messages
        const [part] = message?.role === 'assistant' ? message.content : []
        // The last letter of base64 has unused bits.
        if (at < signed.length - 1) expect(part).toEqual({ type: 'reasoning', text: 'a' })
      }
    })
  })

  it.each(['web_search_call', 'compaction_of_next_year'])(
    '%s: an item that only this dialect has is opaque; other services do not get it',
    (type) => {
      const item = { type, id: 'ws_1', status: 'completed' }
      const input = [{ role: 'user', content: 'hi' }, item]
      const { turn, notes } = read({ input })
      const opaque = { type: 'opaque', dialect: 'openai-responses', value: item }
      expect(turn.messages.at(-1)).toMatchObject({ role: 'assistant', content: [opaque] })
      expect(turn.hasOpaqueParts).toBe(true)
      expect(notes).toEqual([])
      const others = readForOthers({ input })
      expect(others.turn.messages).toEqual([hi])
      expect(others.notes).toEqual([`items of type ${type} are not supported and were left out`])
    },
  )

  it('a request that needs repair is not faithful, and one that only other dialects lack is', () => {
    const call = { type: 'function_call', call_id: 'a', name: 'read', arguments: '{}' }
    expect(read({ input: [{ role: 'user', content: 'hi' }, call] }).turn.origin.faithful).toBe(false)
    const noted = read({ top_logprobs: 3 })
    expect(noted.turn.origin).toMatchObject({ faithful: true, translationNotes: noted.notes })
    expect(noted.notes).toHaveLength(1)
  })

  it('a message of another agent of the client becomes a user message, with a note', () => {
    const content = [
      { type: 'input_text', text: 'done' },
      { type: 'encrypted_content', encrypted_content: 'gAAAA' },
    ]
    const { turn, notes } = read({
      input: [{ type: 'agent_message', author: '/root/a', recipient: '/root', content }],
    })
    expect(turn.messages).toEqual([
      { role: 'user', content: [text('Message from the agent /root/a:'), text('done')] },
    ])
    expect(notes).toEqual([
      'encrypted content of another service was left out',
      'messages of other agents were sent as user messages',
    ])
  })

  it('audio as a data URL; in a result it is left out with a note', () => {
    const audio = { type: 'input_audio', audio_url: 'data:audio/x-wav;base64,AAAA' }
    const { turn, notes } = read({
      input: [
        { role: 'user', content: [audio] },
        { type: 'function_call', call_id: 'c', name: 'hear', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: [audio] },
      ],
    })
    expect(turn.messages[0]).toMatchObject({ content: [{ type: 'audio', data: 'AAAA', format: 'wav' }] })
    expect(turn.messages[2]).toMatchObject({ results: [{ content: [] }] })
    expect(notes).toEqual(['audio in a tool result is not supported and was left out'])
  })

  it('an image detail that only OpenAI has is lowered with a note', () => {
    const content = [{ type: 'input_image', image_url: png, detail: 'original' }]
    const { turn, notes } = read({ input: [{ role: 'user', content }] })
    expect(turn.messages[0]).toMatchObject({ content: [{ detail: 'high' }] })
    expect(notes).toHaveLength(1)
  })

  it('a call without result and a result without call are repaired with notes', () => {
    const { notes, turn } = read({
      input: [
        { role: 'user', content: 'hi' },
        { type: 'function_call', call_id: 'a', name: 'read', arguments: '{}' },
        { type: 'function_call_output', call_id: 'b', output: 'x' },
      ],
    })
    expect(notes).toHaveLength(2)
    expect(turn.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  })
})
