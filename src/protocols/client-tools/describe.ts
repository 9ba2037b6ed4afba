// What a client can do, in words for a model that asked for something it cannot.

import type { Tool } from '../../core/request.ts'
import { parametersOf } from './schema.ts'

const maxTools = 40

export function describeTools(tools: readonly Tool[]): string {
  if (tools.length === 0)
    return 'This client offers no tools at all. Answer with what is known from the conversation.'
  const lines = tools.slice(0, maxTools).map((tool) => {
    const parameters = parametersOf(tool).map(({ name, required }) => (required ? name : `${name}?`))
    return `- ${tool.name}(${parameters.join(', ')})`
  })
  const more = tools.length > maxTools ? [`- and ${tools.length - maxTools} more`] : []
  return ['This client cannot do that. Use one of its own tools instead:', ...lines, ...more].join('\n')
}
