// How tools are written into the prompt of a model that has none: the settings of the backends that do so.

import { z } from 'zod'
import { defaultCallTag } from '../protocols/tool-text/markup.ts'

const toolTextFormat = z.enum(['json', 'xml'])

/** Names that tool calls, tools or thoughts have in some model's own markup, or in ours. */
const takenTags = new Set([
  'arg_key', 'arg_value', 'function', 'function_call', 'function_calls', 'invoke', 'parameter', 'think', 'thinking',
  'tool_calls', 'tool_response', 'tools',
]) // biome-ignore format: a list to be read as one

const toolText = (tag: string) => ({
  format: toolTextFormat
    .default('json')
    .describe('How a model is asked to write its calls; xml takes code without escaping.'),
  formats: z
    .record(z.string().min(1), toolTextFormat)
    .default({})
    .describe('Another format for single models, by name; * stands for anything.'),
  tag: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{2,31}$/, 'must be 3 to 32 letters, digits, "_" and "-", a letter first')
    .refine(
      (name) => !takenTags.has(name.toLowerCase()),
      'is a name that models use for something else; choose another',
    )
    .default(tag)
    .describe('The tag around a call.'),
  secondTry: z.boolean().default(true).describe('Where a call cannot be read, the model is asked once more.'),
})

export const openaiToolText = z.strictObject({
  ...toolText(defaultCallTag),
  systemRole: z
    .boolean()
    .default(true)
    .describe('The server knows system messages; false: they go in front of the first user message.'),
})

export const defaultToolText = openaiToolText.parse({})

/** That service takes the models' own spelling of calls for its own, and has no system messages. */
export const qwenToolText = z.strictObject(toolText('use_tool'))
