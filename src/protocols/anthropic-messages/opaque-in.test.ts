import { describe, expect, it } from 'vitest'
import { Notes } from '../../core/notes.ts'
import { fromMessagesRequest } from './request-in.ts'

type Body = Record<string, unknown>

const user = (content: unknown) => ({ role: 'user', content })
const assistant = (...content: unknown[]) => ({ role: 'assistant', content })
const text = (words: string) => ({ type: 'text', text: words })
const said = text
const base = (more: Body): Body => ({ model: 'm', max_tokens: 9, ...more })

function read(body: unknown) {
  const notes = new Notes()
  return { turn: fromMessagesRequest(body, notes).turn, notes: notes.all }
}

describe('what only this dialect has is opaque, in its place', () => {
  const opaque = (value: Body) => ({ type: 'opaque', dialect: 'anthropic-messages', value })
  const block = { type: 'hologram', shards: [1, 2.5, { deep: true }] }
  const rows: [string, Body[], unknown][] = [
    [
      'in a user message',
      [user([text('a'), block])],
      [{ role: 'user', content: [said('a'), opaque(block)] }],
    ],
    [
      'in an assistant message',
      [user('a'), assistant(block, text('b')), user('c')],
      [
        { role: 'user', content: [said('a')] },
        { role: 'assistant', content: [opaque(block), said('b')] },
        { role: 'user', content: [said('c')] },
      ],
    ],
    [
      'in a system message',
      [user('a'), { role: 'system', content: [text('b'), { type: 'tool_addition', tool: {} }] }],
      [
        { role: 'user', content: [said('a')] },
        { role: 'system', content: [said('b'), opaque({ type: 'tool_addition', tool: {} })] },
      ],
    ],
    [
      'as the source of an image',
      [user([{ type: 'image', source: { type: 'satellite' } }])],
      [{ role: 'user', content: [opaque({ type: 'image', source: { type: 'satellite' } })] }],
    ],
  ]
  it.each(rows)('%s', (_, messages, read_) => {
    const { turn, notes } = read(base({ messages }))
    expect(turn.messages).toEqual(read_)
    expect(turn.hasOpaqueParts).toBe(true)
    expect(turn.origin.faithful).toBe(true)
    expect(notes).toEqual([])
  })

  it('a system message with settings alone leaves the body as it is', () => {
    const settings = { role: 'system', content: [], output_config: { effort: 'low' } }
    const { turn, notes } = read(base({ messages: [user('a'), settings] }))
    expect(turn.messages).toEqual([{ role: 'user', content: [said('a')] }])
    expect(turn.origin.faithful).toBe(true)
    expect(notes).toEqual([])
  })
})
