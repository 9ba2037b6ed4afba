import { describe, expect, it } from 'vitest'
import { send, tool } from './request-out.fixture.ts'

describe('tools', () => {
  it('names outside the alphabet are mapped, without collisions, and mapped back', () => {
    const names = ['a.b', 'a_b', 'a/b', 'x'.repeat(150), 'ü']
    const sent = send({
      tools: names.map((name) => tool(name)),
      tool_choice: { type: 'function', function: { name: 'a/b' } },
    })
    const upstream = sent.body.tools.map((entry: { name: string }) => entry.name)
    expect(new Set(upstream).size).toBe(names.length)
    for (const name of upstream) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,128}$/)
    expect(upstream.map(sent.toClient)).toEqual(names)
    expect(sent.toClient(sent.body.tool_choice.name)).toBe('a/b')
    expect(upstream[1]).toBe('a_b')
  })

  it.each([
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [
      { type: 'function', function: { name: 'read' } },
      { type: 'tool', name: 'read' },
    ],
    [
      { type: 'tool', name: 'read' },
      { type: 'tool', name: 'read' },
    ],
    [{ type: 'any' }, { type: 'any' }],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'read' } }] },
      },
      { type: 'any' },
    ],
  ])('tool_choice %j → %j', (tool_choice, expected) => {
    expect(send({ tools: [tool('read'), tool('write')], tool_choice }).body.tool_choice).toEqual(expected)
  })

  it('allowed_tools leaves the other tools out', () => {
    const allowed = {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'write' } }] },
    }
    expect(
      send({ tools: [tool('read'), tool('write')], tool_choice: allowed }).body.tools.map(
        (entry: { name: string }) => entry.name,
      ),
    ).toEqual(['write'])
  })

  it('parallel_tool_calls: false, with and without a choice, never beside none', () => {
    const tools = [tool('read')]
    expect(send({ tools, parallel_tool_calls: false }).body.tool_choice).toEqual({
      type: 'auto',
      disable_parallel_tool_use: true,
    })
    expect(send({ tools, parallel_tool_calls: false, tool_choice: 'required' }).body.tool_choice).toEqual({
      type: 'any',
      disable_parallel_tool_use: true,
    })
    expect(send({ tools, parallel_tool_calls: false, tool_choice: 'none' }).body.tool_choice).toEqual({
      type: 'none',
    })
    expect(send({ tools, parallel_tool_calls: true }).body.tool_choice).toBeUndefined()
  })

  it('legacy functions and function_call', () => {
    const { body, notes } = send({
      functions: [{ name: 'read', parameters: { type: 'object', properties: {} } }],
      function_call: { name: 'read' },
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: null, function_call: { name: 'read', arguments: '{"a":1}' } },
        { role: 'function', name: 'read', content: 'x' },
      ],
    })
    expect(body.tools[0].name).toBe('read')
    expect(body.tool_choice).toEqual({ type: 'tool', name: 'read' })
    expect(body.messages[2].content[0].tool_use_id).toBe(body.messages[1].content[0].id)
    expect(notes).toContain('legacy functions were turned into tools')
  })

  it('schemas without a type, and choices at the top', () => {
    const schemas = [
      undefined,
      {},
      {
        anyOf: [
          { type: 'object', properties: { a: {} }, required: ['a'] },
          { type: 'object', properties: { b: {} }, required: ['a', 'b'] },
        ],
      },
    ]
    const { body } = send({ tools: schemas.map((parameters, at) => tool(`t${at}`, { parameters })) })
    expect(body.tools.map((entry: { input_schema: unknown }) => entry.input_schema)).toEqual([
      { type: 'object', properties: {} },
      { type: 'object' },
      { type: 'object', properties: { a: {}, b: {} }, required: ['a'] },
    ])
  })
})
