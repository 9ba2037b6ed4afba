// Messages and checks that the request cases share.

import type { Answer, Message, PastCall } from '../../clients/answer.ts'
import { at, type Shape, textAt } from '../../clients/json.ts'
import type { Context } from '../case.ts'
import { acceptable, answered, asked, holds } from '../judge.ts'
import type { UpstreamKind } from '../upstream/played.ts'

export const both = ['openai', 'anthropic'] as const
export const group = 'requests'

export const go: Message = { role: 'user', text: 'go' }
export const called = (...ids: string[]): Message => ({
  role: 'assistant',
  calls: ids.map((id): PastCall => ({ id, name: 'read', arguments: `{"path":"${id.slice(0, 4)}"}` })),
})
export const result = (id: string, text = `result of ${id}`): Message => ({ role: 'result', id, text })
export const user = (text: string): Message => ({ role: 'user', text })

const upstreamBody = (context: Context) => JSON.stringify(asked(context).body)

/** The gateway and the upstream accept the request. */
export function accepted(answer: Answer, context: Context): void {
  answered(answer)
  acceptable(context)
}

export const contains = (context: Context, ...texts: string[]) => {
  for (const text of texts)
    holds(
      upstreamBody(context).includes(text),
      `"${text}" in the request to the upstream`,
      upstreamBody(context),
    )
}

export const schemaOf = (kind: UpstreamKind | undefined, body: Shape): unknown =>
  kind === 'openai' ? at(body, 'tools', 0, 'function', 'parameters') : at(body, 'tools', 0, 'input_schema')

export const choiceOf = (kind: UpstreamKind | undefined, body: Shape): string =>
  kind === 'openai'
    ? textAt(body, 'tool_choice') || textAt(body, 'tool_choice', 'function', 'name')
    : textAt(body, 'tool_choice', 'name') || textAt(body, 'tool_choice', 'type')
