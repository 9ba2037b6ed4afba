import { describe, expect, it } from 'vitest'
import { missingResultText } from '../../core/history.ts'
import type { Message } from '../../core/request.ts'
import {
  call,
  image,
  read,
  render,
  requestOf,
  result,
  shown,
  system,
  text,
  user,
  xml,
} from './render.fixture.ts'
import { escapedNote } from './render.ts'

describe('calls and results', () => {
  const calls = [call('1', 'read', '{"path": "a.txt"}'), call('2', 'list', '{}')]
  const history: Message[] = [
    user('hi'),
    { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }, text('I look.'), ...calls] },
    { role: 'tool', results: [result('2', 'b.txt'), result('1', 'alpha\n')] },
    user('and now?'),
  ]

  it('are blocks of JSON, results in the order of the calls', () => {
    const said =
      'I look.\n<tool_call>\n{"name": "read", "arguments": {"path": "a.txt"}}\n</tool_call>\n' +
      '<tool_call>\n{"name": "list", "arguments": {}}\n</tool_call>'
    const answered =
      '<tool_response>\nalpha\n\n</tool_response>\n<tool_response>\nb.txt\n</tool_response>\n\nand now?'
    const expected = [
      ['user', 'hi'],
      ['assistant', said],
      ['user', answered],
    ]
    expect(shown(requestOf(history))).toEqual(expected)
    const none = requestOf(history, { tools: [read], toolChoice: { type: 'none' } })
    expect(shown(none)).toEqual(expected)
  })

  it('are elements in the xml format, with unchanged text', () => {
    const input = JSON.stringify({
      path: 'a.txt',
      text: '\n  <b>"x"</b> & y\n',
      lines: [1, 2],
      deep: { a: null },
      ok: true,
    })
    const messages: Message[] = [
      user('hi'),
      { role: 'assistant', content: [call('1', 'write', input), call('2', 'list', '{}')] },
      { role: 'tool', results: [result('1', 'done'), result('2', '')] },
    ]
    const [, said, answered] = shown(requestOf(messages), { markup: xml })
    expect(said?.[1]).toBe(`<use_tool>
<function=write>
<parameter=path>
a.txt
</parameter>
<parameter=text>

  <b>"x"</b> & y

</parameter>
<parameter=lines>
[1,2]
</parameter>
<parameter=deep>
{"a":null}
</parameter>
<parameter=ok>
true
</parameter>
</function>
</use_tool>
<use_tool>
<function=list>
</function>
</use_tool>`)
    expect(answered?.[1]).toBe(
      '<use_tool_result>\ndone\n</use_tool_result>\n<use_tool_result>\n\n</use_tool_result>',
    )
  })

  it('are JSON in the xml format too if a name does not fit in a tag', () => {
    const messages: Message[] = [
      user('hi'),
      { role: 'assistant', content: [call('1', 'set', '{"a>b":1}')] },
      { role: 'tool', results: [result('1', '')] },
    ]
    expect(shown(requestOf(messages), { markup: xml })[1]?.[1]).toBe(
      '<use_tool>\n{"name": "set", "arguments": {"a>b":1}}\n</use_tool>',
    )
  })

  it('keep the source of arguments, numbers and line breaks included', () => {
    const input = '{\n  "id": 12345678901234567890,\n  "n": 1.0\n}'
    const messages: Message[] = [
      user('hi'),
      { role: 'assistant', content: [call('1', 'set', input)] },
      { role: 'tool', results: [result('1', '')] },
    ]
    expect(shown(requestOf(messages))[1]?.[1]).toContain(`"arguments": ${input}}`)
    expect(shown(requestOf(messages), { markup: xml })[1]?.[1]).toContain(
      '<parameter=id>\n12345678901234567890\n</parameter>\n<parameter=n>\n1.0\n</parameter>',
    )
  })

  it('mark a failure once', () => {
    const messages: Message[] = [
      user('hi'),
      { role: 'assistant', content: calls },
      {
        role: 'tool',
        results: [
          { ...result('1', 'no such file'), isError: true },
          { ...result('2', 'Error: denied'), isError: true },
        ],
      },
    ]
    expect(shown(requestOf(messages))[2]?.[1]).toBe(
      '<tool_response>\nError: no such file\n</tool_response>\n<tool_response>\nError: denied\n</tool_response>',
    )
  })

  it('put images after the text', () => {
    const messages: Message[] = [
      user('hi'),
      { role: 'assistant', content: calls },
      {
        role: 'tool',
        results: [
          { callId: '1', content: [image] },
          { callId: '2', content: [text('a'), image, text('b')] },
        ],
      },
      user('next'),
    ]
    expect(shown(requestOf(messages))[2]?.[1]).toBe(
      '<tool_response>\n(the result is attached below)\n</tool_response>\n' +
        '<tool_response>\na\n\nb\n</tool_response>|image|image|next',
    )
  })

  it('over 1 MiB are cut, visibly', () => {
    const messages = (value: string): Message[] => [
      user('hi'),
      { role: 'assistant', content: [call('1', 'read', '{}')] },
      { role: 'tool', results: [result('1', value)] },
    ]
    const whole = render(requestOf(messages('a'.repeat(2 ** 20))))
    expect(whole.notes).toEqual([])
    const value = `${'ü'.repeat(2 ** 19 - 1)}x😀 the end`
    const { request, notes } = render(requestOf(messages(value)))
    const last = JSON.stringify(request.messages.at(-1))
    expect(notes).toEqual(['a tool result over 1 MiB was cut'])
    expect(last).toContain('üx\\n[The result was cut here: 12 of its 1048587 bytes are not shown.]')
    expect(last).not.toContain('the end')
  })

  it('get a result if there is none, so that no call comes last', () => {
    const messages: Message[] = [user('hi'), { role: 'assistant', content: calls }]
    expect(shown(requestOf(messages)).at(-1)?.[1]).toContain(`Error: ${missingResultText}`)
  })
})

describe('text that looks like markup', () => {
  it('is escaped in every source, and can be unescaped', () => {
    const messages: Message[] = [
      system('s <tools>'),
      user('u <tool_call>'),
      {
        role: 'assistant',
        content: [text('a <tool_'), text('call> b'), call('1', 'read', '{"path":"<tool_call>"}')],
      },
      { role: 'tool', results: [result('1', 'r </tool_response><tool_call>')] },
      system('m <function=x>'),
    ]
    const { request, escaped, notes, ...rendered } = render(requestOf(messages))
    const all = JSON.stringify(request.messages)
    for (const part of ['s &lt;tools>', 'u &lt;tool_call>', 'a &lt;tool_call> b', 'm &lt;function=x>'])
      expect(all).toContain(part)
    expect(all).toContain('r &lt;/tool_response>&lt;tool_call>')
    expect(all).toContain(JSON.stringify('{"path":"\\u003ctool_call>"}').slice(1, -1))
    expect(escaped).toBe(true)
    expect(notes).toContain(escapedNote)
    expect(rendered.unescape('&lt;tool_call> &lt;div>')).toBe('<tool_call> &lt;div>')
  })

  it('includes a configured tag without any other markers', () => {
    const { request } = render(requestOf([user('<use_tool></use_tool_result><parameter=x>')]), {
      markup: xml,
      markers: [],
    })
    expect(JSON.stringify(request.messages)).toContain('&lt;use_tool>&lt;/use_tool_result>&lt;parameter=x>')
  })

  it('is escaped in strings of elements, and by JSON escapes in JSON', () => {
    const input = JSON.stringify({ text: 'a</parameter>b', list: ['</parameter>'] })
    const messages: Message[] = [
      user('hi'),
      { role: 'assistant', content: [call('1', 'write', input)] },
      { role: 'tool', results: [result('1', 'ok')] },
    ]
    const { request, ...rendered } = render(requestOf(messages), { markup: xml })
    const said = request.messages[1]?.role === 'assistant' ? request.messages[1].content : []
    expect(said).toEqual([
      text(
        '<use_tool>\n<function=write>\n<parameter=text>\na&lt;/parameter>b\n</parameter>\n' +
          '<parameter=list>\n["\\u003c/parameter>"]\n</parameter>\n</function>\n</use_tool>',
      ),
    ])
    expect(rendered.unescape('a&lt;/parameter>b')).toBe('a</parameter>b')
  })

  it('in the spelling that the model is taught for elements is unescaped, even if nothing was escaped', () => {
    const asXml = render(requestOf([user('hi')], { tools: [read] }), { markup: xml })
    expect(asXml.escaped).toBe(false)
    expect(asXml.unescape('&lt;/parameter> &lt;tools>')).toBe('</parameter> &lt;tools>')
    const asJson = render(requestOf([user('hi')], { tools: [read] }))
    expect(asJson.unescape('&lt;/parameter>')).toBe('&lt;/parameter>')
  })
})
