// Reads the error of a service, in any shape: its text, code and type. Services send `{error: {message}}`,
// `{message, type, code}`, a list of errors, plain text, or a web page.

import { type Fields, isObject } from '../../base/json.ts'
import { pageText } from './page-text.ts'
import { asCode } from './service-error.ts'
import type { UpstreamRefusal } from './upstream-error.ts'

interface RefusalFacts {
  /** The text of the error; empty if there is none. */
  text: string
  /** The error's code and type, if they are strings, separated by a blank. */
  kind: string
  /** The service's own code, if it is an identifier. */
  ownCode: string | undefined
  type: string | undefined
  param: string | undefined
  /** The HTTP status of the error. Inside an answer, some services put it into the code. */
  status: number
}

const longestText = 1_000
/** No service nests a message deeper. */
const deepestText = 8

export function readRefusal({ status, body: given, excerpt = '' }: UpstreamRefusal): RefusalFacts {
  const body = typeof given === 'string' ? undefined : given
  const fields = errorFields(body)
  const text = body === undefined ? withStatus(status, plainText(excerpt)) : errorText(body)
  const { code, type, status: named, param, details } = fields
  return {
    text: [text, providerText(fields.metadata)].filter(Boolean).join(': '),
    kind: [code, type, named].filter((value) => typeof value === 'string').join(' '),
    ownCode: asCode(isObject(details) ? (details.error_code ?? code) : code),
    type: asCode(type),
    param: typeof param === 'string' ? param : undefined,
    status: statedStatus(status, fields),
  }
}

/** The object with code and type beside the text. */
function errorFields(body: unknown): Fields {
  let fields: unknown = body
  for (let depth = 0; depth <= deepestText; depth++) {
    const inner: unknown = Array.isArray(fields)
      ? fields.find(isObject)
      : isObject(fields)
        ? (innerError(fields) ?? fields)
        : undefined
    if (inner === fields || inner === undefined) break
    fields = inner
  }
  return isObject(fields) ? withBaseResponse(fields) : {}
}

const innerError = ({ error, detail, message }: Fields): unknown =>
  [error, detail, message].find((value) => isObject(value) || (Array.isArray(value) && value.some(isObject)))

/** The text of an error in any shape: `{error: {message}}`, `{error}`, `{message}`, FastAPI's list of details. */
export function errorText(body: unknown, depth = 0): string {
  if (typeof body === 'string') return body.slice(0, longestText)
  if (typeof body !== 'object' || body === null || depth > deepestText) return ''
  if (Array.isArray(body)) {
    const all = body.map((entry) => errorText(entry, depth + 1))
    return all.filter(Boolean).join('; ').slice(0, longestText)
  }
  const { error, detail, message, msg, loc, base_resp: base } = body as Fields
  const stated = isObject(base) ? base.status_msg : undefined
  const text = errorText(error ?? detail ?? message ?? msg ?? stated, depth + 1)
  return text !== '' && Array.isArray(loc) ? `${loc.filter(isWord).join('.')}: ${text}` : text
}

/** `loc` may contain anything, and not every value can be converted to a string. */
const isWord = (value: unknown) => typeof value === 'string' || typeof value === 'number'

/** A plain text is usually a proxy's, and needs the status to be understood. */
const withStatus = (status: number, words: string) => (words === '' ? '' : `HTTP ${status}: ${words}`)

const plainText = (text: string): string => (pageText(text) ?? text.trim()).slice(0, longestText)

/** OpenRouter: the error text of the provider. OpenRouter's own text is always the same. */
function providerText(metadata: unknown): string {
  const raw = isObject(metadata) ? metadata.raw : undefined
  return typeof raw === 'string' ? raw.slice(0, longestText) : ''
}

function statedStatus(status: number, { code }: Fields): number {
  const stated = typeof code === 'number' || typeof code === 'string' ? Number(code) : 0
  return status < 400 && stated >= 400 && stated < 600 ? stated : status
}

/** MiniMax: https://platform.minimax.io/docs/api-reference/errorcode */
const baseStatuses = new Map([
  [1001, 504],
  [1002, 429],
  [1004, 401],
  [1008, 402],
  [1026, 400],
  [1027, 400],
  [1039, 429],
  [2013, 400],
  [2049, 401],
])

/** An answer with status 200 and no choices that has its error in `base_resp`. */
export function isBaseRefusal({ base_resp: base }: Fields): boolean {
  return isObject(base) && typeof base.status_code === 'number' && base.status_code !== 0
}

const withBaseResponse = (fields: Fields): Fields =>
  isObject(fields.base_resp)
    ? { ...fields, code: baseStatuses.get(Number(fields.base_resp.status_code)) ?? 500 }
    : fields
