// A limit of another service in the words of Anthropic's API. Clients match these words: they compact the conversation, ask for a
// shorter answer, or send the image no more. In other words the session would end with an error.

import type { GatewayError } from '../../core/errors.ts'

type Failure = Pick<GatewayError, 'code' | 'message' | 'upstream'>

/** The message for a client of this dialect. */
export function inOwnWords({ code, message, upstream }: Failure): string {
  if (code === 'context-overflow') return overflowWords(message)
  // By the service, or by the gateway in its place.
  const isRefused = upstream === undefined ? code === 'unsupported' : code === 'invalid-request'
  const found = isRefused ? media.find(({ refused }) => refused.test(message)) : undefined
  return found && !message.includes(found.words) ? `${found.words}: ${message}` : message
}

const overflow = /prompt is too long|exceed context limit/

function overflowWords(message: string): string {
  if (overflow.test(message)) return message
  const limit = numberAfter(limits, message)
  if (limit === undefined) return `prompt is too long: ${message}`
  const [, input, output] = shares.exec(message) ?? []
  // The conversation fits, but not together with the answer: a shorter answer is enough.
  if (input !== undefined && Number(input) < limit)
    return `input length and \`max_tokens\` exceed context limit: ${input} + ${output} > ${limit} (${message})`
  const asked = Math.max(...numbersIn(message))
  return asked > limit
    ? `prompt is too long: ${asked} tokens > ${limit} maximum (${message})`
    : `prompt is too long: ${message}`
}

/** The limit in the services' sentences, such as "maximum context length is 8192 tokens". */
const limits = /(?:maximum|limit|at most|context (?:length|window|size)(?: of| is)?)\D{0,40}(\d[\d,]{2,11})/i

/** OpenAI, vLLM and others: how much of the sum is the conversation, how much the answer. */
const shares =
  /\((\d{1,9}) in (?:the|your) (?:messages|prompt)[^()]{0,80}?(\d{1,9}) (?:in|for) the completion/

const toNumber = (digits: string) => Number(digits.replaceAll(',', ''))

function numberAfter(pattern: RegExp, text: string): number | undefined {
  const digits = pattern.exec(text)?.[1]
  return digits === undefined ? undefined : toNumber(digits)
}

/** No conversation is longer: a greater number is a time, or an id. */
const mostTokens = 50_000_000

/** The numbers that stand alone. Parts of names, dates and ids are none: the client would drop as much as they say. */
const numbersIn = (text: string) => [
  0,
  ...(text.match(/(?<![\w.,-])\d[\d,]{0,11}(?![\w-]|[.,]\d)/g) ?? [])
    .map(toNumber)
    .filter((n) => n <= mostTokens),
]

/** Refusals of media by services, and the words on which a client leaves them out. Each pattern is from observed texts. */
const media: readonly { words: string; refused: RegExp }[] = [
  {
    words: 'Could not process image',
    refused:
      /image_url is only supported|unknown variant `image_url`|images? (?:input |content )?(?:is|are) not supported|(?:support|for) image input|not (?:a multimodal model|support (?:images?|vision|multimodal))|at most 0 image|conversation holds an image/i,
  },
  {
    words: 'This model does not support PDF input',
    refused:
      /(?:files?|pdfs?|documents?) (?:input |content )?(?:is|are) not supported|unknown variant `file`|not support (?:pdf|file|document)s?\b|conversation holds a file/i,
  },
]
