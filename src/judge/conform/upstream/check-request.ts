// Checks of the real services that gateways fail: tool calls and results that do not match.

import { at, isObjectText, isShape, listAt, type Shape, shapesAt, textAt } from '../../clients/json.ts'
import type { UpstreamKind } from './played.ts'

export const requestProblems = (kind: UpstreamKind, body: Shape): string[] =>
  kind === 'openai' ? openaiProblems(body) : anthropicProblems(body)

const contentTypes = new Set<unknown>(['text', 'refusal', 'image_url', 'input_audio', 'file'])

function openaiProblems(body: Shape): string[] {
  const problems: string[] = []
  let open = new Set<string>()
  for (const [at_, message] of shapesAt(body, 'messages').entries()) {
    const place = `messages[${at_}]`
    if (message.role === 'tool') {
      const id = textAt(message, 'tool_call_id')
      if (!open.delete(id))
        problems.push(`${place}: a result for ${id || 'no id'}, which no call directly before it has`)
      continue
    }
    if (open.size > 0) problems.push(`${place}: the calls ${[...open].join(', ')} have no result behind them`)
    open = new Set()
    for (const call of listAt(message, 'tool_calls')) {
      open.add(textAt(call, 'id'))
      const text = at(call, 'function', 'arguments')
      if (typeof text !== 'string' || !isObjectText(text))
        problems.push(`${place}: arguments that are no JSON object: ${JSON.stringify(text)}`)
    }
    for (const { type } of shapesAt(message, 'content'))
      if (!contentTypes.has(type)) problems.push(`${place}: content of the type ${JSON.stringify(type)}`)
    if (message.role === 'user' && isEmpty(message.content)) problems.push(`${place}: empty content`)
  }
  if (open.size > 0) problems.push(`the calls ${[...open].join(', ')} have no result`)
  return problems
}

/** Why any service refuses the request at once; undefined if it can be answered. */
export function malformed(body: unknown): string | undefined {
  if (!isShape(body)) return 'the body is no JSON object'
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    return 'messages: a list that is not empty is needed'
  const roles = ['system', 'developer', 'user', 'assistant', 'tool']
  const odd = body.messages.find((message) => !roles.includes(textAt(message, 'role')))
  return odd === undefined
    ? undefined
    : `messages: the role ${JSON.stringify(at(odd, 'role'))} does not exist`
}

const isEmpty = (content: unknown) =>
  content === undefined ||
  content === null ||
  content === '' ||
  (Array.isArray(content) && content.length === 0)

const idPattern = /^[a-zA-Z0-9_-]{1,64}$/

/** The service merges adjacent messages of one role. */
function turnsOf(body: Shape): Shape[] {
  const turns: { role: unknown; content: unknown }[] = []
  for (const { role, content } of shapesAt(body, 'messages')) {
    const last = turns.at(-1)
    if (last && last.role === role && !isEmpty(content))
      last.content = [...blocksOf(last.content), ...blocksOf(content)]
    else turns.push({ role, content })
  }
  return turns
}

const blocksOf = (content: unknown): unknown[] =>
  Array.isArray(content) ? content : [{ type: 'text', text: content }]

function anthropicProblems(body: Shape): string[] {
  const problems: string[] = []
  let open = new Set<string>()
  for (const [number, message] of turnsOf(body).entries()) {
    const place = `turn ${number}`
    if (message.role !== 'user' && message.role !== 'assistant')
      problems.push(`${place}: role ${JSON.stringify(message.role)}`)
    if (isEmpty(message.content)) problems.push(`${place}: empty content`)
    const blocks = shapesAt(message, 'content')
    if (blocks.some((block) => block.type === 'text' && textAt(block, 'text').trim() === ''))
      problems.push(`${place}: an empty text block`)
    const results = blocks.filter(({ type }) => type === 'tool_result')
    if (blocks.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
      problems.push(`${place}: something stands before a tool_result`)
    for (const result of results)
      if (!open.delete(textAt(result, 'tool_use_id')))
        problems.push(
          `${place}: a tool_result for ${textAt(result, 'tool_use_id')}, which the message before has not called`,
        )
    if (open.size > 0)
      problems.push(`${place}: tool_use ids without tool_result behind them: ${[...open].join(', ')}`)
    open = new Set()
    for (const block of blocks.filter(({ type }) => type === 'tool_use')) {
      const id = textAt(block, 'id')
      open.add(id)
      if (!idPattern.test(id))
        problems.push(
          `${place}: the id ${JSON.stringify(id)} does not match ^[a-zA-Z0-9_-]+$, at most 64 long`,
        )
      if (!isShape(block.input)) problems.push(`${place}: input that is no object`)
    }
  }
  if (open.size > 0) problems.push(`tool_use ids without tool_result: ${[...open].join(', ')}`)
  const forced = ['any', 'tool'].includes(textAt(body, 'tool_choice', 'type'))
  if (forced && textAt(body, 'thinking', 'type') === 'enabled')
    problems.push('thinking beside a forced tool_choice')
  return problems
}
