// The refusals of a chat model without tools: every field about tools, and with most templates any order of roles but one
// system message, then user and assistant in turn.

import { Refusal } from '../openai/refusal.ts'
import { isRecord, type Json } from '../shape.ts'

interface TextRules {
  /** False: the template has no system message. */
  readonly systemRole: boolean
  /** User and assistant must alternate. */
  readonly alternating: boolean
}

const TOOL_FIELDS = ['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call']
const MESSAGE_FIELDS = ['tool_calls', 'tool_call_id', 'function_call']

export function checkTextOnly(body: unknown, rules: TextRules): void {
  if (!isRecord(body)) return
  for (const field of TOOL_FIELDS) {
    if (field in body) throw noTools(field)
  }
  const messages = Array.isArray(body.messages) ? body.messages.filter(isRecord) : []
  for (const [index, message] of messages.entries()) checkMessage(message, index, rules)
  if (rules.alternating) checkOrder(messages)
}

function checkMessage(message: Json, index: number, { systemRole }: TextRules): void {
  const at = `messages[${index}]`
  if (message.role === 'tool' || message.role === 'function') {
    throw new Refusal(`'${at}.role' is '${message.role}', but this model has no tools.`, {
      param: `${at}.role`,
      code: 'unsupported_value',
    })
  }
  for (const field of MESSAGE_FIELDS) {
    if (field in message) throw noTools(`${at}.${field}`)
  }
  if (!systemRole && isSystem(message)) {
    throw new Refusal('System role not supported', { param: `${at}.role`, code: 'unsupported_value' })
  }
}

function checkOrder(messages: readonly Json[]): void {
  const turns = messages.filter((message) => !isSystem(message))
  const late = messages.findIndex((message, index) => index > 0 && isSystem(message))
  if (late > 0) {
    throw new Refusal('System message must be the only one and at the beginning', {
      param: `messages[${late}].role`,
    })
  }
  const wrong = turns.findIndex(({ role }, index) => role !== (index % 2 === 0 ? 'user' : 'assistant'))
  if (wrong >= 0 || turns.length === 0) {
    const index = wrong >= 0 ? messages.length - turns.length + wrong : messages.length
    throw new Refusal('Conversation roles must alternate user/assistant/user/assistant/...', {
      param: `messages[${index}].role`,
    })
  }
}

function isSystem({ role }: Json): boolean {
  return role === 'system' || role === 'developer'
}

function noTools(field: string): Refusal {
  return new Refusal(`Unsupported parameter: '${field}'. This model has no tools.`, {
    param: field,
    code: 'unsupported_parameter',
  })
}
