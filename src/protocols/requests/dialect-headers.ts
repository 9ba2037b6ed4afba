// Headers of a dialect that pass between a client and a service that both speak it, in either direction. Unknown ones pass: a gateway
// that lists what it knows breaks with the next release of either side. What must not pass is in the two tables below, with reasons.
// Headers that are not of the dialect never pass: credentials, cookies, hop-by-hop and forwarding headers, session ids, and in
// answers whatever speaks to browsers and proxies (CORS, cookies, redirects, caching) or of the service's own list of models
// (`x-models-etag`: Codex would fetch the gateway's list anew after every answer).

import type { ServiceError } from '../../core/errors.ts'

type Form = ServiceError['form']
type Headers = Readonly<Record<string, string>>
type Names = readonly (readonly [names: RegExp, why: string])[]

const prefixes: Record<Form, readonly string[]> = {
  anthropic: ['anthropic-', 'x-claude-code-'],
  // Google's own headers say who is billed, and which program calls: none of it is the gateway's.
  gemini: [],
  openai: ['openai-', 'x-openai-', 'x-codex-turn-state'],
}

/** Anthropic tells its clients apart by it. */
const userAgent = 'user-agent'

const answerPrefixes: Record<Form, readonly string[]> = {
  anthropic: ['anthropic-'],
  gemini: ['x-gemini-service-tier'],
  openai: ['openai-', 'x-openai-', 'x-codex-', 'x-reasoning-included'],
}

/** Choose who is billed, or whose data is seen: only where the backend's configuration names them. */
export const accountHeaders = {
  anthropic: ['anthropic-workspace-id'],
  gemini: [],
  openai: ['openai-organization', 'openai-project'],
} as const satisfies Record<Form, readonly string[]>

const isAccountHeader = new Set<string>(Object.values(accountHeaders).flat())

const credential = /-(?:key|token|secret|auth|authorization|cookie|credential)s?$/

/** Of requests. */
const withheld: Names = [
  [/^anthropic-(?:version|beta)$/, 'the backend writes them, with its own needs'],
  [/^anthropic-dangerous-direct-browser-access$/, "speaks of the client's browser, not of the gateway"],
  [credential, 'credentials: the gateway has its own'],
  [/-session(?:-id)?$|^x-claude-code-(?:parent-)?agent-id$/, 'ids of sessions with the gateway'],
]

/** Of answers. */
const withheldAnswers: Names = [
  [/^anthropic-(?:ratelimit|priority|fast)-/, "limits of the gateway's account"],
  [/^x-codex-(?!turn-state$)/, "limits of the gateway's account"],
  [/ratelimit/, "limits of the gateway's account"],
  [/-(?:organization|project|workspace|account)(?:-id)?$/, "name the gateway's account"],
  [/^(?:x-)?openai-model$/, 'Codex takes another name than the one that it asked for as a warning'],
  [credential, 'for the gateway alone'],
  [/-request-id$/, 'the gateway has its own'],
]

const longestValue = 4_096
const mostHeaders = 32
/** Printable ASCII: anything else can mean something to another parser. */
const plainValue = /^[\x20-\x7e]+$/
const plainName = /^[a-z0-9][a-z0-9-]{0,99}$/

const isIn = (table: Names, name: string) => table.some(([names]) => names.test(name))

/** The headers of a request that a service of some dialect may get. Undefined if there are none. */
export function dialectHeaders(
  names: Iterable<string>,
  header: (name: string) => string | undefined,
): Headers | undefined {
  return collect(names, header, (name) => isOfRequest('anthropic', name) || isOfRequest('openai', name))
}

interface HeaderRules {
  /** Account headers that may come from the client. */
  accounts?: readonly string[] | undefined
  /** False: what tells of the client (its name, version and kind of request) stays at the gateway. */
  tellsClient?: boolean | undefined
}

/** Those of a client's headers that go to a service of this form. `own`: the backend's headers, which win. */
export function headersFor(
  form: Form,
  { headers, dialect }: { headers?: Headers | undefined; dialect: string },
  own: Record<string, string>,
  { accounts = [], tellsClient = true }: HeaderRules = {},
): Record<string, string> {
  if (headers === undefined || formOf(dialect) !== form) return own
  const taken = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  const passed = collect(
    Object.keys(headers),
    (name) => headers[name],
    (name) =>
      isOfRequest(form, name) &&
      !taken.has(name) &&
      (tellsClient || !isAboutClient(name)) &&
      (isAccountHeader.has(name) ? accounts.includes(name) : !isIn(withheld, name)),
  )
  return passed ? Object.assign(passed, own) : own
}

/** Those of an upstream's headers that a client of this dialect gets. */
export function answerHeadersFor(
  dialect: string,
  form: Form,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Headers | undefined {
  if (formOf(dialect) !== form) return undefined
  const header = (name: string) => {
    const value = headers[name]
    return typeof value === 'string' ? value : undefined
  }
  return collect(
    Object.keys(headers),
    header,
    (name) => isOf(answerPrefixes[form], name) && !isIn(withheldAnswers, name),
  )
}

/** Both OpenAI APIs have the same headers. */
function formOf(dialect: string): Form | undefined {
  if (dialect.startsWith('openai-')) return 'openai'
  if (dialect === 'gemini') return 'gemini'
  return dialect.startsWith('anthropic-') ? 'anthropic' : undefined
}

const isOfRequest = (form: Form, name: string) =>
  isOf(prefixes[form], name) || (form === 'anthropic' && name === userAgent)

const isAboutClient = (name: string) => name === userAgent || name.startsWith('x-claude-code-')

const isOf = (allowed: readonly string[], name: string) => allowed.some((prefix) => name.startsWith(prefix))

function collect(
  names: Iterable<string>,
  header: (name: string) => string | undefined,
  passes: (name: string) => boolean,
): Record<string, string> | undefined {
  let found: Record<string, string> | undefined
  let count = 0
  for (const name of names) {
    if (!passes(name) || !plainName.test(name)) continue
    const value = header(name)
    if (value === undefined || value.length > longestValue || !plainValue.test(value)) continue
    if (++count > mostHeaders) break
    found ??= {}
    found[name] = value
  }
  return found
}
