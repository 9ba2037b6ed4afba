// Blocks written as the prompt asks are read back, with any content.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../test/fuzz/settings.ts'
import { cutCalls, cutResults } from './blocks.ts'
import { asked, toCallText } from './formats.ts'
import { toMarkup } from './markup.ts'

const tools = [
  {
    name: 'write',
    description: '',
    schema: { type: 'object', properties: { text: { type: 'string' }, other: {} } },
  },
]
const settings = fuzz

/** Text that the contract allows in XML: our tags are escaped there. */
const content = fc
  .array(fc.oneof(fc.string(), fc.constantFrom('\n', '"', '\\', '{', '}', '</b>', '<tool_call>', '&lt;')))
  .map((parts) => parts.join(''))
const words = fc.string().map((text) => text.replaceAll('<', '').trim())

describe.each(['json', 'xml'] as const)('%s', (format) => {
  const markup = toMarkup('tool_call', format)

  it('calls and the text around them', () => {
    // Without a schema, a string cannot be told from the value it looks like.
    const other = fc.jsonValue({ noUnicodeString: true }).filter((value) => typeof value !== 'string')
    const call = fc.record({ text: content, other }).map((input) => ({
      name: 'write',
      arguments: JSON.parse(JSON.stringify(input)) as Record<string, unknown>,
    }))
    fc.assert(
      fc.property(fc.array(call, { maxLength: 3 }), words, (calls, said) => {
        const blocks = asked(
          calls.map((each) => toCallText(each.name, each.arguments)),
          markup,
        )
        const read = cutCalls(said === '' ? blocks : `${said}\n${blocks}`, markup, tools)
        expect(read).toEqual({ text: said, calls })
      }),
      settings,
    )
  })
})

it('results and the text around them', () => {
  const markup = toMarkup('act', 'json')
  const result = content.map((text) => text.replaceAll('act_result', ''))
  fc.assert(
    fc.property(fc.array(result, { maxLength: 3 }), words, (results, said) => {
      const blocks = results.map((text) => `<act_result>\n${text}\n</act_result>`).join('\n')
      expect(cutResults(`${blocks}\n\n${said}`, markup)).toEqual({ text: said, results })
    }),
    settings,
  )
})
