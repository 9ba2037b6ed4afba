// What the model is told about a call that does not fit: a tool result with an error, as agents give it.

import type { ToolResult } from '../../core/request.ts'
import type { UnfitCall } from './turn-calls.ts'

const longestQuoted = 500
const longestSchema = 4_000
const mostProblems = 5
const mostNames = 200

export function complaintAbout(call: UnfitCall, names: readonly string[]): ToolResult {
  const text = call.tool ? unfitText(call, call.tool.schema) : unknownText(call.made.name, names)
  return { callId: call.made.callId, content: [{ type: 'text', text }], isError: true }
}

function unknownText(name: string, names: readonly string[]): string {
  const more = names.length > mostNames ? `, and ${names.length - mostNames} more` : ''
  return [
    `There is no tool named ${JSON.stringify(name.slice(0, longestQuoted))}. Nothing was run.`,
    `The tools are: ${names.slice(0, mostNames).join(', ')}${more}.`,
    'Call one of them by its exact name.',
  ].join('\n')
}

function unfitText({ tool, made, problems }: UnfitCall, schema: Readonly<Record<string, unknown>>): string {
  const rules = JSON.stringify(schema)
  return [
    `The arguments do not fit the parameters of ${JSON.stringify(tool?.name)}. Nothing was run.`,
    ...problems.slice(0, mostProblems).map((problem) => `- ${problem}`),
    `The arguments were: ${shortened(made.input)}`,
    ...(rules.length > longestSchema ? [] : [`The parameters are: ${rules}`]),
    'Call the tool again with corrected arguments.',
  ].join('\n')
}

const shortened = (text: string) =>
  text.length > longestQuoted ? `${text.slice(0, longestQuoted).replace(/[\ud800-\udbff]$/, '')}…` : text
