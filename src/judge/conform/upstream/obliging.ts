// The scripted upstream's default: a model that calls the first tool it is offered, and says hello without tools.

import { at, isShape, type Shape, shapesAt, textAt } from '../../clients/json.ts'
import type { Play } from './played.ts'
import { turn } from './turn.ts'

let made = 0

export const obliging: Play = (request) => {
  const { body } = request
  const name = wantedTool(body)
  if (name === undefined || isAnswered(body)) return turn([{ text: 'Hello there.' }], 'stop')(request)
  const input = JSON.stringify(sampleOf(schemaOf(body, name)))
  return turn([{ call: name, id: `call_${++made}`, input }], 'tool_calls')(request)
}

const nameOf = (tool: unknown) => textAt(tool, 'function', 'name') || textAt(tool, 'name')

function wantedTool(body: Shape): string | undefined {
  const choice = body.tool_choice
  if (choice === 'none' || at(choice, 'type') === 'none') return undefined
  const named = nameOf(choice)
  return named || nameOf(shapesAt(body, 'tools')[0]) || undefined
}

function isAnswered(body: Shape): boolean {
  const last = shapesAt(body, 'messages').at(-1)
  return last?.role === 'tool' || shapesAt(last, 'content').some(({ type }) => type === 'tool_result')
}

function schemaOf(body: Shape, name: string): unknown {
  const tool = shapesAt(body, 'tools').find((candidate) => nameOf(candidate) === name)
  return at(tool, 'function', 'parameters') ?? at(tool, 'input_schema')
}

function sampleOf(schema: unknown): Shape {
  const properties = at(schema, 'properties')
  return Object.fromEntries(Object.keys(isShape(properties) ? properties : {}).map((name) => [name, 'Oslo']))
}
