// Calls as a model writes them. By code of its own: what the gateway shows a model is none of its business.

import type { CorpusCall } from './bfcl.ts'

export const formats = ['Hermes', 'Qwen3-Coder'] as const
export type Format = (typeof formats)[number]

export function render(calls: readonly CorpusCall[], format: Format): string {
  return calls.map(format === 'Hermes' ? hermes : coder).join('\n')
}

function hermes({ name, arguments: input }: CorpusCall): string {
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${JSON.stringify(input)}}\n</tool_call>`
}

/** Strings are raw, everything else is JSON; one line end around each value belongs to the markup. */
function coder({ name, arguments: input }: CorpusCall): string {
  const parameters = Object.entries(input).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `<parameter=${key}>\n${text}\n</parameter>\n`
  })
  return `<tool_call>\n<function=${name}>\n${parameters.join('')}</function>\n</tool_call>`
}
