// Rules of single OpenAI-compatible servers, with their own error texts. A rule throws a Refusal or returns nothing.

import { createHash } from 'node:crypto'
import { isRecord, type Json } from '../shape.ts'
import { Refusal } from './refusal.ts'
import type { ChatMessage, ChatRequest } from './request.ts'

export type ServerRule = (request: ChatRequest) => void

type MessageRule = (message: ChatMessage, index: number) => Refusal | undefined

const eachMessage =
  (rule: MessageRule): ServerRule =>
  ({ messages }) => {
    for (const [index, message] of messages.entries()) {
      const refusal = rule(message, index)
      if (refusal) throw refusal
    }
  }

const hasCalls = ({ tool_calls: calls }: ChatMessage) => calls !== undefined && calls.length > 0

/** Refuses these fields in an assistant message, with any value. */
export const noMessageFields = (
  names: readonly string[],
  refuse: (name: string, index: number) => Refusal,
): ServerRule =>
  eachMessage((message, index) => {
    const found = names.find((name) => message.role === 'assistant' && message[name] !== undefined)
    return found === undefined ? undefined : refuse(found, index)
  })

export const groqWords = (name: string, index: number) =>
  new Refusal(
    `'messages.${index}' : for 'role:assistant' the following must be satisfied[('messages.${index}' : property '${name}' is unsupported)]`,
  )

export const wrongApiFormat = (path: string) =>
  new Refusal(`messages.${path}: Extra inputs are not permitted`, { code: 'wrong_api_format' })

/** Refuses null in messages, except as content. */
export const noNullFields: ServerRule = eachMessage((message, index) => {
  const found = Object.entries(message).find(([name, value]) => value === null && name !== 'content')
  return found && groqWords(found[0], index)
})

export const noFields =
  (names: readonly string[], refuse: (name: string) => Refusal, models = /./): ServerRule =>
  (request) => {
    const found = names.find((name) => models.test(request.model) && request[name] !== undefined)
    if (found !== undefined) throw refuse(found)
  }

export const noNames = (roles: RegExp): ServerRule =>
  eachMessage((message, index) =>
    message.name !== undefined && !roles.test(message.role)
      ? new Refusal(`messages[${index}].name: Argument not supported: name`)
      : undefined,
  )

export const noRole = (role: string): ServerRule =>
  eachMessage((message, index) =>
    message.role === role ? wrongApiFormat(`${index}.${role}.role`) : undefined,
  )

/** DeepSeek requires reasoning on every assistant message. */
export const reasoningOnAll =
  (models: RegExp): ServerRule =>
  (request) => {
    if (!models.test(request.model)) return
    eachMessage((message) =>
      message.role === 'assistant' && typeof message.reasoning_content !== 'string'
        ? new Refusal('The reasoning_content in the thinking mode must be passed back to the API.')
        : undefined,
    )(request)
  }

/** Kimi requires non-empty reasoning on assistant messages with calls. */
export const reasoningOnCalls: ServerRule = eachMessage((message, index) =>
  message.role === 'assistant' && hasCalls(message) && !message.reasoning_content
    ? new Refusal(
        `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
      )
    : undefined,
)

/** The old R1 refuses reasoning from before the user's last message. */
export const noEarlierReasoning =
  (models: RegExp): ServerRule =>
  (request) => {
    if (!models.test(request.model)) return
    const last = request.messages.findLastIndex(({ role }) => role === 'user')
    eachMessage((message, index) =>
      index < last && message.reasoning_content !== undefined
        ? new Refusal(`messages[${index}]: reasoning_content is not supported in earlier turns`)
        : undefined,
    )(request)
  }

/** Proves that a thinking block is Claude's own and unchanged. */
export const signatureOf = (text: string) => createHash('sha256').update(text).digest('base64')

/** Claude through OpenRouter requires whole blocks, each with the signature of exactly this text. */
export const signedDetails: ServerRule = eachMessage((message, index) => {
  if (!Array.isArray(message.reasoning_details)) return undefined
  const isSigned = ({ type, format, text, signature }: Json) =>
    type !== 'reasoning.text' ||
    format !== 'anthropic-claude-v1' ||
    (typeof text === 'string' && signature === signatureOf(text))
  const at = message.reasoning_details.findIndex((detail) => !isRecord(detail) || !isSigned(detail))
  if (at < 0) return undefined
  const text = `messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`
  return new Refusal('Provider returned error', {
    body: {
      error: {
        code: 400,
        message: 'Provider returned error',
        metadata: { raw: text, provider_name: 'Anthropic' },
      },
    },
  })
})

/** Gemini 3 and later require a signature on the first call of each turn only. */
export const thoughtSignatures: ServerRule = (request) => {
  if (!/gemini-([3-9]|\d\d)/.test(request.model)) return
  eachMessage((message, index) => {
    const [first] = message.tool_calls ?? []
    if (first === undefined || thoughtSignature(first) !== undefined) return undefined
    return new Refusal(
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.function?.name}\` , position ${index}.`,
    )
  })(request)
}

function thoughtSignature(call: object): unknown {
  const { extra_content: extra } = call as Json
  const google = isRecord(extra) ? extra.google : undefined
  return isRecord(google) ? google.thought_signature : undefined
}

/** Mistral's call ids. */
export const nineCharacterIds: ServerRule = eachMessage((message, index) => {
  const ids = message.role === 'tool' ? [message.tool_call_id] : message.tool_calls?.map(({ id }) => id)
  const bad = ids?.find((id) => !/^[a-zA-Z0-9]{9}$/.test(id ?? ''))
  return bad === undefined
    ? undefined
    : new Refusal(`Tool call id was ${bad} but must be a-z, A-Z, 0-9, with a length of 9.`, {
        param: `messages[${index}]`,
      })
})

export const noUserAfterTool: ServerRule = ({ messages }) => {
  const at = messages.findIndex(({ role }, index) => role === 'user' && messages[index - 1]?.role === 'tool')
  if (at > 0) throw new Refusal("Unexpected role 'user' after role 'tool'")
}

/** Refuses a list of text parts in place of a string. */
export const contentIsText: ServerRule = eachMessage((message, index) =>
  Array.isArray(message.content) && message.content.every(({ type }) => type === 'text')
    ? new Refusal(
        `Failed to deserialize the JSON body into the target type: messages[${index}]: invalid type: sequence, expected a string`,
      )
    : undefined,
)

export const noImageUrls: ServerRule = eachMessage((message) => {
  const parts = Array.isArray(message.content) ? message.content : []
  const urls = parts.map((part) => (isRecord(part.image_url) ? String(part.image_url.url) : 'data:'))
  return urls.some((url) => !/^(data:|ms:\/\/)/.test(url))
    ? new Refusal('Invalid request: unsupported image url, only base64 or ms:// is allowed')
    : undefined
})

export const toolChoices =
  (...words: readonly string[]): ServerRule =>
  ({ tool_choice: choice }) => {
    if (choice === undefined || words.includes(typeof choice === 'string' ? choice : 'named')) return
    throw new Refusal(
      `Invalid value for tool_choice: ${JSON.stringify(choice)}. Expected one of ${words.join(', ')}.`,
    )
  }

type EffortRow = readonly [models: RegExp, efforts: readonly string[]]

/** Accepted values by model. Empty list: the model has no such field. Models without a row take any value. */
export const efforts =
  (...rows: readonly EffortRow[]): ServerRule =>
  ({ model, reasoning_effort: effort }) => {
    const [, taken] = rows.find(([models]) => models.test(model)) ?? []
    if (effort == null || taken === undefined || taken.includes(effort)) return
    if (taken.length === 0)
      throw new Refusal(`Model ${model} does not support parameter reasoningEffort.`, {
        code: 'Client specified an invalid argument',
      })
    throw new Refusal(`invalid reasoning_effort: "${effort}" (must be one of ${taken.join(', ')})`, {
      param: 'reasoning_effort',
    })
  }

/** Refuses any temperature but the default. */
export const onlyTemperatureOne =
  (models: RegExp): ServerRule =>
  ({ model, temperature }) => {
    if (models.test(model) && temperature != null && temperature !== 1)
      throw new Refusal('invalid temperature: only 1 is allowed for this model')
  }

export const notBoth =
  (one: string, other: string): ServerRule =>
  (request) => {
    if (request[one] !== undefined && request[other] !== undefined)
      throw new Refusal(`"${one}" is incompatible with "${other}"`, { code: 'wrong_api_format' })
  }

/** Kimi's `thinking` switch, by model. */
export const thinkingSwitch: ServerRule = ({ model, thinking }) => {
  if (!isRecord(thinking)) return
  if (/k2\.7-code/.test(model) && thinking.type !== 'enabled')
    throw new Refusal('invalid thinking: only type=enabled is allowed for this model')
  if (/k2\.5/.test(model) && thinking.keep !== undefined)
    throw new Refusal('invalid thinking: keep is not supported for this model')
}

/** Mistral takes an assistant message at the end only as a prefix to continue. */
export const markedPrefix: ServerRule = ({ messages }) => {
  const last = messages.at(-1)
  if (last?.role === 'assistant' && last.prefix !== true)
    throw new Refusal(
      'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
    )
}
