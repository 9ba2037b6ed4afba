import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../core/errors.ts'
import type { KeptBlock } from './kept-blocks.ts'
import { type Sent, send, tool } from './request-out.fixture.ts'

const pixel = 'iVBORw0KGgo='

describe('messages', () => {
  it('system and developer messages at the start become `system`, later ones stay in place', () => {
    const { body, notes } = send({
      messages: [
        { role: 'system', content: 'one' },
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'two' },
            { type: 'text', text: '' },
          ],
        },
        { role: 'user', content: 'hi' },
        { role: 'system', content: 'three' },
      ],
    })
    expect(body.system).toEqual([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ])
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'text', text: '<system>\nthree\n</system>' },
        ],
      },
    ])
    expect(notes).toEqual(['a system message inside the conversation was sent as user text'])
  })

  it("consecutive messages of one role are merged, and the first is the user's", () => {
    const { body } = send({
      messages: [
        { role: 'assistant', content: 'hello' },
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
      ],
    })
    expect(
      body.messages.map((message: { role: string; content: unknown[] }) => [
        message.role,
        message.content.length,
      ]),
    ).toEqual([
      ['user', 1],
      ['assistant', 1],
      ['user', 2],
    ])
  })

  it('images, files and images in tool results', () => {
    const { body } = send({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: `data:image/jpg;base64,${pixel}` } },
            { type: 'image_url', image_url: 'https://example.com/a.png' },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
            {
              type: 'file',
              file: {
                filename: 'a.txt',
                file_data: `data:text/plain;base64,${Buffer.from('grüß').toString('base64')}`,
              },
            },
          ],
        },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'shot', arguments: '{}' } }],
        },
        {
          role: 'tool',
          tool_call_id: 'c1',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
          ],
        },
      ],
    })
    expect(body.messages[0].content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: pixel } },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
        title: 'a.pdf',
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'grüß' }, title: 'a.txt' },
    ])
    expect(body.messages[2].content[0].content.map((block: { type: string }) => block.type)).toEqual([
      'text',
      'image',
    ])
  })

  it.each([
    [{ type: 'image_url', image_url: { url: 'data:image/tiff;base64,AAAA' } }, /tiff/],
    [{ type: 'image_url', image_url: { url: 'http://example.com/a.png' } }, /https/],
    [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, /Audio/],
    [{ type: 'file', file: { file_id: 'file-1' } }, /file itself/],
    [{ type: 'file', file: { file_data: 'data:application/zip;base64,AAAA' } }, /zip/],
  ])('%j is refused with a reason', (part, reason) => {
    expect(() => send({ messages: [{ role: 'user', content: [part] }] })).toThrow(GatewayError)
    expect(() => send({ messages: [{ role: 'user', content: [part] }] })).toThrow(reason)
  })

  it('a kept turn is replayed block by block, in its original order', () => {
    const kept: KeptBlock[] = [
      { type: 'thinking', thinking: 'a', signature: 's1' },
      { type: 'text', text: 'First. ' },
      { type: 'tool_use', id: 'c1' },
      { type: 'thinking', thinking: 'b', signature: 's2' },
      { type: 'text', text: 'Then.' },
      { type: 'tool_use', id: 'c2' },
    ]
    const messages = (content: string) => [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content,
        tool_calls: ['c1', 'c2'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'read', arguments: '{}' },
        })),
      },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
      { role: 'tool', tool_call_id: 'c2', content: 'y' },
    ]
    const types = (sent: Sent) => sent.body.messages[1].content.map((block: { type: string }) => block.type)
    const same = send(
      { reasoning_effort: 'low', tools: [tool('read')], messages: messages('First. Then.') },
      { kept },
    )
    expect(types(same)).toEqual(['thinking', 'text', 'tool_use', 'thinking', 'text', 'tool_use'])
    // Text that lost white space in transit still counts as the same text, and the kept form is sent.
    const trimmed = send(
      { reasoning_effort: 'low', tools: [tool('read')], messages: messages('First. Then.\n') },
      { kept },
    )
    expect(trimmed.body.messages[1]).toEqual(same.body.messages[1])
    // Text that the client changed takes the position of the first text; thinking stays before its call.
    const changed = send(
      { reasoning_effort: 'low', tools: [tool('read')], messages: messages('Edited.') },
      { kept },
    )
    expect(types(changed)).toEqual(['thinking', 'text', 'tool_use', 'thinking', 'tool_use'])
  })
})
