// A service's own response object on its way to a Responses client: with the id under which the gateway stores it, the model as the
// client named it, and the response that the client continues. Everything else stays byte for byte.

import { type Fields, isObject, parseJson } from '../../base/json.ts'
import { replaceMember } from '../../base/json-text.ts'
import { repairNotes } from '../../core/repairs.ts'
import type { Item } from './items-out.ts'
import { kindOf } from './output-item.ts'
import { type FinishedResponse, type ResponseOptions, responseId } from './response-out.ts'

/** `path`: where the response is in the text. */
export function forwardedText(text: string, path: readonly string[], options: ResponseOptions): string {
  const { id, model, echo } = options
  const values = { id: responseId(id), model, previous_response_id: echo.previous_response_id ?? null }
  return Object.entries(values).reduce(
    (out, [name, value]) => replaceMember(out, [...path, name], JSON.stringify(value)),
    text,
  )
}

interface ForwardedResponse {
  text: string
  finished: FinishedResponse
}

/**
 * The end of a stream, or a whole answer. `items`: the items that the client has seen, if they differ from the service's or the service
 * does not repeat them. Calls that were cut off are left out: a client might run them.
 */
export function forwardedResponse(
  text: string,
  path: readonly string[],
  options: ResponseOptions,
  items?: readonly Item[],
): ForwardedResponse {
  const given = forwardedText(text, path, options)
  const forwarded = withWholeUsage(given, path)
  if (forwarded !== given) options.note?.(repairNotes['usage-figures'])
  const response = memberAt(parseJson(forwarded), path)
  const stated = Array.isArray(response.output) ? response.output : []
  const output = (items ?? stated).filter((item): item is Item => isObject(item) && !isCutCall(item))
  const isSame = items === undefined && output.length === stated.length
  return {
    text: isSame ? forwarded : withOutput(forwarded, path, output),
    finished: { response: { ...response, output }, items: output },
  }
}

/** Clients such as Codex take an answer for broken whose usage lacks one of these figures. */
function withWholeUsage(text: string, path: readonly string[]): string {
  const { usage } = memberAt(parseJson(text), path)
  if (!isObject(usage)) return text
  const { input_tokens: input = 0, output_tokens: output = 0 } = usage
  const total = Number(input) + Number(output)
  const whole: Fields = { input_tokens: input, output_tokens: output, total_tokens: total, ...usage }
  for (const [name, member] of usageDetails)
    if (isObject(usage[name])) whole[name] = { [member]: 0, ...usage[name] }
  return sizeOf(whole) === sizeOf(usage)
    ? text
    : replaceMember(text, [...path, 'usage'], JSON.stringify(whole))
}

/** The number of its figures. */
const sizeOf = (usage: Fields): number =>
  Object.values(usage).reduce<number>((sum, one) => sum + (isObject(one) ? Object.keys(one).length : 1), 0)

const usageDetails = [
  ['input_tokens_details', 'cached_tokens'],
  ['output_tokens_details', 'reasoning_tokens'],
] as const

const isCutCall = (item: Fields) => kindOf(item).endsWith('call') && item.status === 'incomplete'

/** A service may leave the member out. */
function withOutput(text: string, path: readonly string[], output: readonly Item[]): string {
  const written = replaceMember(text, [...path, 'output'], JSON.stringify(output))
  if (Array.isArray(memberAt(parseJson(written), path).output)) return written
  const whole = parseJson(text)
  const response = { ...memberAt(whole, path), output }
  return JSON.stringify(path.length === 0 ? response : { ...(whole as Fields), response })
}

function memberAt(value: unknown, [name]: readonly string[]): Fields {
  const member = name === undefined || !isObject(value) ? value : value[name]
  return isObject(member) ? member : {}
}
