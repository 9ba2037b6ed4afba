import { describe, expect, it } from 'vitest'
import { send, tool } from './request-out.fixture.ts'

describe('prompt cache', () => {
  const marked = (body: unknown) => (JSON.stringify(body).match(/cache_control/g) ?? []).length
  const mark = { cache_control: { type: 'ephemeral' } }

  it('marks the ends of tools, system prompt and conversation when the client marks nothing', () => {
    const { body } = send(
      {
        tools: [tool('a'), tool('b')],
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: 'u' },
        ],
      },
      { promptCache: 'auto' },
    )
    expect([
      body.tools[1].cache_control,
      body.system[0].cache_control,
      body.messages[0].content[0].cache_control,
    ]).toEqual([{ type: 'ephemeral' }, { type: 'ephemeral' }, { type: 'ephemeral' }])
    expect(marked(body)).toBe(3)
  })

  it('marks the end of the previous turn: the service searches the cache only twenty blocks back', () => {
    const calls = Array.from({ length: 12 }, (_, at) => ({
      id: `c${at}`,
      type: 'function',
      function: { name: 'read', arguments: '{}' },
    }))
    const { body } = send(
      {
        tools: [tool('read')],
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: 'u' },
          { role: 'assistant', content: '', tool_calls: calls },
          ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'x' })),
        ],
      },
      { promptCache: 'auto' },
    )
    expect([body.messages[0].content[0].cache_control, body.messages[2].content[11].cache_control]).toEqual([
      { type: 'ephemeral' },
      { type: 'ephemeral' },
    ])
    expect(marked(body)).toBe(4)
  })

  it("keeps a tool's cache lifetime: a longer one may not follow a shorter one", () => {
    const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const { body } = send({
      tools: [{ ...tool('read'), ...hour }],
      messages: [
        { role: 'system', content: [{ type: 'text', text: 's', ...hour }] },
        { role: 'user', content: 'u' },
      ],
    })
    expect([body.tools[0].cache_control, body.system[0].cache_control]).toEqual([
      hour.cache_control,
      hour.cache_control,
    ])
  })

  it("keeps the client's own marks and adds none", () => {
    const { body } = send(
      {
        messages: [
          {
            role: 'system',
            content: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral', ttl: '1h' } }],
          },
          { role: 'user', content: 'u' },
        ],
      },
      { promptCache: 'auto' },
    )
    expect(body.system[0].cache_control).toEqual({ type: 'ephemeral', ttl: '1h' })
    expect(marked(body)).toBe(1)
  })

  it('keeps the last four of more than four marks', () => {
    const content = Array.from({ length: 7 }, (_, at) => ({ type: 'text', text: `part ${at}`, ...mark }))
    const { body, notes } = send({ messages: [{ role: 'user', content }] })
    expect(body.messages[0].content.map((block: object) => 'cache_control' in block)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
      true,
    ])
    expect(notes).toEqual(['3 cache_control marks were removed: the upstream takes four'])
  })
})
