// The call formats of model families, each as in its template.

import { isRecord, type Json } from '../shape.ts'
import { type Markup, NATIVE_TAG } from './markup.ts'

export interface CallText {
  readonly name: string
  /** The arguments as JSON, or any text from a script. */
  readonly json: string
}

export function toCallText(name: string, input: Json | string): CallText {
  return { name, json: typeof input === 'string' ? input : JSON.stringify(input) }
}

export function json({ name, json: input }: CallText): string {
  return `{"name": ${JSON.stringify(name)}, "arguments": ${input}}`
}

export function inTag(tag: string, content: string): string {
  return `<${tag}>\n${content}\n</${tag}>`
}

export function xml(call: CallText): string {
  return `<function=${call.name}>\n${parameters(call)}</function>`
}

export function parameters(call: CallText | undefined): string {
  return entriesOf(call?.json ?? '{}')
    .map(([key, value]) => `<parameter=${key}>\n${toRaw(value)}\n</parameter>\n`)
    .join('')
}

export function hermes(calls: readonly CallText[], { callTag }: Markup): string {
  return calls.map((call) => inTag(callTag, json(call))).join('\n')
}

export function qwen3Coder(calls: readonly CallText[], { callTag }: Markup): string {
  return calls.map((call) => inTag(callTag, xml(call))).join('\n')
}

export function asked(calls: readonly CallText[], markup: Markup): string {
  return markup.format === 'xml' ? qwen3Coder(calls, markup) : hermes(calls, markup)
}

export function native(calls: readonly CallText[], markup: Markup): string {
  return asked(calls, { ...markup, callTag: NATIVE_TAG })
}

export function glm(calls: readonly CallText[]): string {
  const pairs = (input: string) =>
    entriesOf(input).map(
      ([key, value]) => `<arg_key>${key}</arg_key>\n<arg_value>${toRaw(value)}</arg_value>\n`,
    )
  return calls
    .map(({ name, json: input }) => `<tool_call>${name}\n${pairs(input).join('')}</tool_call>`)
    .join('\n')
}

export function invoke(calls: readonly CallText[]): string {
  const parameters = (input: string) =>
    entriesOf(input).map(([key, value]) => `<parameter name="${key}">${toRaw(value)}</parameter>\n`)
  const blocks = calls.map(
    ({ name, json: input }) => `<invoke name="${name}">\n${parameters(input).join('')}</invoke>`,
  )
  return inTag('function_calls', blocks.join('\n'))
}

export function dsml(calls: readonly CallText[]): string {
  const parameters = (input: string) =>
    entriesOf(input).map(([key, value]) => {
      const flag = typeof value === 'string'
      return `<｜DSML｜parameter name="${key}" string="${flag}">${toRaw(value)}</｜DSML｜parameter>\n`
    })
  const blocks = calls.map(
    ({ name, json: input }) =>
      `<｜DSML｜invoke name="${name}">\n${parameters(input).join('')}</｜DSML｜invoke>`,
  )
  return inTag('｜DSML｜function_calls', blocks.join('\n'))
}

export function mistral(calls: readonly CallText[]): string {
  return `[TOOL_CALLS][${calls.map(json).join(', ')}]`
}

export function mistralV11(calls: readonly CallText[]): string {
  return calls.map(({ name, json: input }) => `[TOOL_CALLS]${name}[ARGS]${input}`).join('')
}

export function kimi(calls: readonly CallText[]): string {
  const blocks = calls.map(
    ({ name, json: input }, index) =>
      `<|tool_call_begin|>functions.${name}:${index}<|tool_call_argument_begin|>${input}<|tool_call_end|>`,
  )
  return `<|tool_calls_section_begin|>${blocks.join('')}<|tool_calls_section_end|>`
}

export function deepSeekV3(calls: readonly CallText[]): string {
  return deepSeek(
    calls,
    ({ name, json: input }) => `function<｜tool▁sep｜>${name}\n\`\`\`json\n${input}\n\`\`\``,
  )
}

export function deepSeekV31(calls: readonly CallText[]): string {
  return deepSeek(calls, ({ name, json: input }) => `${name}<｜tool▁sep｜>${input}`)
}

export function llama3(calls: readonly CallText[]): string {
  const objects = calls.map(
    ({ name, json: input }) => `{"name": ${JSON.stringify(name)}, "parameters": ${input}}`,
  )
  return `<|python_tag|>${objects.join('; ')}`
}

export function fenced(calls: readonly CallText[]): string {
  const objects = calls.map(json)
  return `\`\`\`json\n${objects.length === 1 ? objects[0] : `[\n${objects.join(',\n')}\n]`}\n\`\`\``
}

function deepSeek(calls: readonly CallText[], write: (call: CallText) => string): string {
  const blocks = calls.map((call) => `<｜tool▁call▁begin｜>${write(call)}<｜tool▁call▁end｜>`)
  return `<｜tool▁calls▁begin｜>${blocks.join('\n')}<｜tool▁calls▁end｜>`
}

/** Empty if a script's arguments are not an object: the call then has none. */
export function entriesOf(input: string): [string, unknown][] {
  try {
    const value: unknown = JSON.parse(input)
    return isRecord(value) ? Object.entries(value) : []
  } catch {
    return []
  }
}

function toRaw(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
