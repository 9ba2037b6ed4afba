// Random replies of a model: prose, markup, code and calls in every family, whole and broken, in any order.

import fc from 'fast-check'
import type { Tool } from '../../src/core/request.ts'
import { defaultCallTag, type Markup } from '../../src/protocols/tool-text/markup.ts'
import { ToolTextParser } from '../../src/protocols/tool-text/parse.ts'
import type { Piece } from '../../src/protocols/tool-text/pieces.ts'

export const tools = [
  {
    name: 'read',
    schema: {
      type: 'object',
      properties: { path: { type: 'string' }, limit: { type: 'integer' } },
      required: ['path'],
    },
  },
  {
    name: 'write_file',
    schema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
  },
]

export const markup: Markup = { format: 'json', callTag: defaultCallTag, resultTag: 'tool_response' }
export const ownMarkup: Markup = { format: 'xml', callTag: 'use_tool', resultTag: 'use_tool_result' }

const tags = [
  '<tool_call>',
  '</tool_call>',
  '<use_tool>',
  '</use_tool>',
  '<tool_response>',
  '<tool_calls>',
  '<function=read>',
  '<function=',
  '</function>',
  '<parameter=path>',
  '<parameter=content>',
  '</parameter>',
  '<invoke name="read">',
  '</invoke>',
  '<parameter name="path">',
  '<arg_key>path</arg_key>',
  '<arg_value>',
  '</arg_value>',
  '<think>',
  '</think>',
  '[TOOL_CALLS]',
  '[ARGS]',
  '<|tool_call_begin|>',
  '<|tool_call_argument_begin|>',
  '<｜tool▁call▁begin｜>',
  '<｜tool▁sep｜>',
  '<｜DSML｜invoke name="read">',
  'Observation:',
  '<tool_call id="1">',
  '<TOOL_CALL>',
  '</Tool_Call >',
  '</tool_response>',
  '</function>'.repeat(6),
]
const crumbs = [
  '\n',
  '\n\n',
  ' ',
  '`',
  '``',
  '```',
  '```json\n',
  '\n```\n',
  '~~~\n',
  '"',
  "'",
  '“',
  '”',
  '> ',
  '{',
  '}',
  '[',
  ']',
  '<',
  '</',
  ',',
  '\\',
  'read',
  'write_file',
  'The file holds text.',
  'e.g. so, ',
  '🙂',
  'é',
  '\r\n',
  '- ',
  '\n```markdown\n',
  ' '.repeat(65),
  ' '.repeat(300),
  ' '.repeat(1_100),
]

const content = fc
  .array(fc.oneof(fc.constantFrom(...tags, ...crumbs), fc.string({ unit: 'grapheme', maxLength: 6 })), {
    maxLength: 5,
  })
  .map((parts) => parts.join(''))

const call = fc
  .record({
    tool: fc.constantFrom('read', 'write_file', 'other'),
    path: content,
    content,
    form: fc.constantFrom(
      'json',
      'json-loose',
      'xml',
      'bare-xml',
      'glm',
      'invoke',
      'bare',
      'fenced',
      'mistral',
    ),
    close: fc.boolean(),
    indent: fc.boolean(),
  })
  .map(({ tool, path, content: text, form, close, indent }) => {
    const json = JSON.stringify(
      { name: tool, arguments: { path, content: text } },
      undefined,
      indent ? 2 : undefined,
    )
    const xml = `<function=${tool}>\n<parameter=path>\n${path}\n</parameter>\n<parameter=content>\n${text}\n</parameter>\n</function>`
    const pair = (key: string, value: string) =>
      `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`
    switch (form) {
      case 'json':
        return `<tool_call>\n${json}\n${close ? '</tool_call>' : ''}`
      case 'json-loose':
        return `<tool_call>${json.replaceAll('\\n', '\n').replaceAll('\\"', '"')}${close ? '</tool_call>' : ''}`
      case 'xml':
        return `<tool_call>\n${xml}\n${close ? '</tool_call>' : ''}`
      case 'bare-xml':
        return xml
      case 'glm':
        return `<tool_call>${tool}\n${pair('path', path)}${pair('content', text)}${close ? '</tool_call>' : ''}`
      case 'invoke':
        return `<invoke name="${tool}">\n<parameter name="path">${path}</parameter>\n</invoke>`
      case 'bare':
        return `\n${json}`
      case 'fenced':
        return `\n\`\`\`json\n${json}\n\`\`\``
      default:
        return `[TOOL_CALLS]${tool}[ARGS]${JSON.stringify({ path })}`
    }
  })

const part = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...crumbs) },
  { weight: 2, arbitrary: fc.constantFrom(...tags) },
  { weight: 2, arbitrary: call },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
)

export const documents = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(''))

export interface Manner {
  markup?: Markup
  tools?: readonly Tool[]
  cut?: boolean
  salvage?: boolean
}

/** What a text is read as when it comes in these pieces; adjacent text is one piece. */
export function parsed(pieces: readonly string[], manner: Manner = {}): Piece[] {
  const parser = new ToolTextParser({
    markup: manner.markup ?? markup,
    tools: manner.tools ?? tools,
    salvage: manner.salvage ?? true,
  })
  const found = [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end(manner.cut ?? false)]
  return joined(found)
}

export function joined(pieces: readonly Piece[]): Piece[] {
  const out: Piece[] = []
  for (const piece of pieces) {
    const last = out.at(-1)
    if (last?.type === 'text' && piece.type === 'text')
      out[out.length - 1] = { type: 'text', text: last.text + piece.text }
    else if (last?.type === 'reasoning' && piece.type === 'reasoning')
      out[out.length - 1] = { type: 'reasoning', text: last.text + piece.text }
    else out.push(piece)
  }
  return out
}

/** Cuts a text into pieces of these sizes, over and over; also in the middle of a character. */
export function inPieces(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = []
  for (let at = 0, round = 0; at < text.length; round++) {
    const size = Math.max(1, sizes[round % Math.max(1, sizes.length)] ?? 1)
    pieces.push(text.slice(at, at + size))
    at += size
  }
  return pieces
}
