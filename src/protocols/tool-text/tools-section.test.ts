import { describe, expect, it } from 'vitest'
import type { Tool, ToolChoice } from '../../core/request.ts'
import { createEscaper } from './escape.ts'
import { familiesOf } from './families.ts'
import type { Markup, ToolTextFormat } from './markup.ts'
import { callShape, toolsSection } from './tools-section.ts'

const markupOf = (format: ToolTextFormat, callTag = 'tool_call'): Markup => ({
  format,
  callTag,
  resultTag: callTag === 'tool_call' ? 'tool_response' : `${callTag}_result`,
})

const edit: Tool = {
  name: 'edit',
  description: 'Edits a file.\nSays "done".',
  schema: {
    type: 'object',
    properties: {
      mode: { enum: ['a', '<tools>'] },
      edits: { type: 'array', items: { type: 'object', properties: { old: { $ref: '#/$defs/text' } } } },
    },
    required: ['mode'],
    $defs: { text: { type: 'string', description: 'May hold <tool_call>' } },
  },
  strict: true,
  cache: {},
}
const list: Tool = { name: 'list', schema: {} }

interface Asked {
  markup?: Markup
  tools?: Tool[]
  choice?: ToolChoice
  parallel?: boolean
}

function section({ markup = markupOf('json'), tools = [edit, list], choice, parallel }: Asked = {}) {
  const request = {
    tools,
    ...(choice === undefined ? {} : { toolChoice: choice }),
    ...(parallel === undefined ? {} : { parallelToolCalls: parallel }),
  }
  return toolsSection(request, markup, createEscaper(familiesOf(markup).markers))
}

/** The lines between two lines that occur exactly once. */
function linesBetween(text: string | undefined, opening: string, closing: string): string[] {
  const lines = text?.split('\n') ?? []
  const from = lines.indexOf(opening)
  const to = lines.indexOf(closing)
  expect([lines.lastIndexOf(opening), lines.lastIndexOf(closing)]).toEqual([from, to])
  expect(from).toBeGreaterThan(-1)
  return lines.slice(from + 1, to)
}

describe('toolsSection', () => {
  it('has one line of JSON for each tool, with the whole schema', () => {
    const lines = linesBetween(section(), '<tools>', '</tools>')
    const { name, description, schema } = edit
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { type: 'function', function: { name, description, parameters: schema } },
      { type: 'function', function: { name: 'list', parameters: {} } },
    ])
    expect(lines[1]).toBe('{"type":"function","function":{"name":"list","parameters":{}}}')
  })

  it('has no markup from descriptions and schemas', () => {
    const text = section() ?? ''
    expect(text.split('<tools>')).toHaveLength(2)
    expect(text.split('<tool_call>')).toHaveLength(2)
  })

  it.each([
    [markupOf('json'), '{"name": "TOOL", "arguments": {"PARAMETER": "VALUE"}}'],
    [markupOf('xml', 'use_tool'), '<function=TOOL>\n<parameter=PARAMETER>\nVALUE\n</parameter>\n</function>'],
  ])('begins with its heading and ends with the shape of a call', (markup, inside) => {
    const text = section({ markup })
    expect(text?.startsWith('# Tools\n')).toBe(true)
    expect(text?.endsWith(`\n<${markup.callTag}>\n${inside}\n</${markup.callTag}>`)).toBe(true)
    expect(linesBetween(text, `<${markup.callTag}>`, `</${markup.callTag}>`).join('\n')).toBe(inside)
    expect(text?.endsWith(callShape(markup))).toBe(true)
    expect(text).toContain(`\`${markup.resultTag}\``)
  })

  it('explains its format and not the other one', () => {
    const json = section() ?? ''
    const xml = section({ markup: markupOf('xml') }) ?? ''
    expect(json).toContain('as \\u003c.')
    expect(json).not.toContain('&lt;')
    expect(json).not.toContain('<parameter=')
    expect(xml).toContain('as &lt;.')
    expect(xml).not.toContain('as \\u003c')
    expect(xml).not.toContain('"arguments"')
  })

  it('ends with the required call', () => {
    const required = section({ choice: { type: 'required' } })
    expect(required?.startsWith(section() ?? '-')).toBe(true)
    expect(required?.split('\n').at(-1)).toMatch(/^You must call at least one tool/)
    const named = section({ choice: { type: 'tool', name: 'list' } })
    expect(named?.split('\n').at(-1)).toMatch(/^You must call the tool `list`/)
    expect(section({ choice: { type: 'auto' } })).toBe(section())
  })

  it('asks for at most one call without parallel calls', () => {
    expect(section({ parallel: false })).toContain('at most one call')
    expect(section({ parallel: false })).not.toContain('several')
    expect(section({ parallel: false, choice: { type: 'required' } })).toMatch(/exactly one tool[^\n]*$/)
    expect(section({ parallel: true })).toBe(section())
  })

  it('is missing without tools to call', () => {
    expect(section({ tools: [] })).toBeUndefined()
    expect(section({ choice: { type: 'none' } })).toBeUndefined()
  })
})
