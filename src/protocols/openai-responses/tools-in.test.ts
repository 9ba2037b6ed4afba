import { describe, expect, it } from 'vitest'
import { scaled } from '../../../test/depth.ts'
import { fn, read, readForOthers } from './request-in.fixture.ts'

describe('tools', () => {
  it('functions, custom tools and namespaces', () => {
    const { turn, names, notes, echo } = read({
      tools: [
        fn('read', { description: 'Reads', strict: true }),
        {
          type: 'custom',
          name: 'apply_patch',
          description: 'Patches',
          format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
        },
        { type: 'custom', name: 'note', format: { type: 'text' } },
        {
          type: 'namespace',
          name: 'agents',
          description: 'About agents',
          tools: [fn('close', { description: 'Closes' }), { type: 'custom', name: 'say' }],
        },
        { type: 'web_search', external_web_access: true },
        { type: 'mcp', server_label: 'x', headers: { authorization: 'secret' } },
      ],
    })
    expect(turn.tools.map(({ name, description }) => [name, description])).toEqual([
      ['read', 'Reads'],
      ['apply_patch', 'Patches\n\nThe input must match this lark grammar:\nstart: "x"'],
      ['note', undefined],
      ['agents__close', 'Closes\n\n(agents: About agents)'],
      ['agents__say', '(agents: About agents)'],
    ])
    expect(turn.tools[0]?.strict).toBe(true)
    expect(turn.tools[1]?.schema).toMatchObject({ required: ['input'] })
    expect(names.toClient('agents__say')).toEqual({ name: 'say', namespace: 'agents', kind: 'custom' })
    expect(names.toClient('apply_patch')).toEqual({ name: 'apply_patch', kind: 'custom' })
    expect(notes).toEqual(
      expect.arrayContaining(['the grammar of a custom tool is sent to the model but not enforced']),
    )
    expect(turn.opaqueTools?.map(({ kind }) => kind)).toEqual(['web_search', 'mcp'])
    expect(echo.tools).toHaveLength(4)
    expect(JSON.stringify(echo)).not.toContain('secret')
  })

  it('joined names are distinct, within the length limit, and the same in the history', () => {
    const long = 'n'.repeat(60)
    const { turn } = read({
      tools: [fn('a__b'), { type: 'namespace', name: 'a', tools: [fn('b'), fn(long)] }],
      input: [
        { role: 'user', content: 'hi' },
        { type: 'function_call', call_id: '1', namespace: 'a', name: 'b', arguments: '{}' },
        { type: 'function_call', call_id: '2', namespace: 'a', name: long, arguments: '{}' },
      ],
    })
    const offered = turn.tools.map(({ name }) => name)
    expect(offered.slice(0, 2)).toEqual(['a__b', 'a__b_2'])
    expect(offered[2]?.length).toBeLessThanOrEqual(64)
    expect(turn.messages[1]).toMatchObject({ content: [{ name: 'a__b_2' }, { name: offered[2] }] })
  })

  it('items may add tools', () => {
    const input = [
      { type: 'additional_tools', role: 'developer', tools: [fn('late')] },
      { role: 'user', content: 'x' },
    ]
    expect(read({ input, tools: [fn('read')] }).turn.tools.map(({ name }) => name)).toEqual(['read', 'late'])
  })

  it('a later list may redefine a tool', () => {
    const added = (description: string) => ({
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'namespace', name: 'n', tools: [fn('late', { description })] }],
    })
    const { turn } = read({ input: [added('old'), { role: 'user', content: 'x' }, added('new')] })
    expect(turn.tools).toMatchObject([{ name: 'n__late', description: 'new' }])
  })

  const tools = [
    fn('read'),
    { type: 'custom', name: 'patch' },
    { type: 'namespace', name: 'a', tools: [fn('b')] },
  ]
  it.each<[unknown, unknown, string[]]>([
    ['auto', { type: 'auto' }, ['read', 'patch', 'a__b']],
    ['none', { type: 'none' }, ['read', 'patch', 'a__b']],
    ['required', { type: 'required' }, ['read', 'patch', 'a__b']],
    [{ type: 'function', name: 'read' }, { type: 'tool', name: 'read' }, ['read', 'patch', 'a__b']],
    [{ type: 'custom', name: 'patch' }, { type: 'tool', name: 'patch' }, ['read', 'patch', 'a__b']],
    [
      { type: 'function', namespace: 'a', name: 'b' },
      { type: 'tool', name: 'a__b' },
      ['read', 'patch', 'a__b'],
    ],
    [
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', name: 'read' }, { type: 'web_search' }],
      },
      { type: 'required' },
      ['read'],
    ],
    [
      {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'namespace', name: 'a' },
          { type: 'custom', name: 'patch' },
        ],
      },
      { type: 'auto' },
      ['patch', 'a__b'],
    ],
  ])('tool_choice %j', (tool_choice, expected, names) => {
    const { turn } = read({ tools, tool_choice })
    expect(turn.toolChoice).toEqual(expected)
    expect(turn.tools.map(({ name }) => name)).toEqual(names)
  })

  it('auto without tools is dropped', () => {
    expect(read({ tool_choice: 'auto' }).turn.toolChoice).toBeUndefined()
    const others = readForOthers({ tool_choice: 'auto', tools: [{ type: 'web_search' }] })
    expect(others.turn.toolChoice).toBeUndefined()
    expect(others.notes).toEqual(['tool type web_search is not supported and was left out'])
  })
})

/** A quadratic search would take minutes. */
describe('very many', () => {
  const count = scaled(100_000, 20_000)
  const many = <T>(make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))

  it('tools that are allowed', () => {
    const tools = many((at) => fn(`f${at}`))
    const allowed = [...tools].reverse().flatMap((tool) => [tool, { type: 'namespace', name: tool.name }])
    const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: allowed }
    expect(read({ tools, tool_choice }).turn.tools).toHaveLength(count)
  })
})
