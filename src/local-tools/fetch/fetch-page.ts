// Fetches a page for the model, from public addresses only. The address is checked after name resolution and then used, so the
// name cannot resolve differently in between. Proxies of the environment are not used: a proxy resolves names itself, and may
// be inside a private network.

import type http from 'node:http'
import type { Failure, JobOf, Outcome, OutcomeOf } from '../../protocols/client-tools/job.ts'
import { Refusal } from '../files/refusal.ts'
import { askPage, type Connect, unlessAborted } from './ask-page.ts'
import { htmlToText } from './html-text.ts'
import { decode, type PageEnd, readUpTo } from './page-body.ts'

export interface FetchOptions {
  signal: AbortSignal
  outputBytes: number
  timeoutMs?: number
  connect?: Connect
  /** Whether an address may be fetched, for the first one and each that it leads to. Default: all public ones. */
  isAllowed?(url: string): boolean
}

const defaultTimeoutMs = 10_000
const maxRedirects = 3
/** Markup is most of a page. */
const markupFactor = 4

/** Never throws; ends by its deadline or with its signal, whatever the server does. */
export async function fetchPage(job: JobOf<'fetch'>, options: FetchOptions): Promise<Outcome> {
  const { timeoutMs = defaultTimeoutMs, signal: canceled } = options
  const clock = new AbortController()
  const timer = setTimeout(() => clock.abort(), timeoutMs)
  const signal = AbortSignal.any([canceled, clock.signal])
  try {
    return await unlessAborted(follow(job.url, { ...options, signal }), signal)
  } catch (error) {
    if (canceled.aborted) return failure(`${job.url} was not fetched: the request was canceled.`)
    if (clock.signal.aborted) return failure(`${job.url} did not answer within ${timeoutMs} ms.`)
    if (error instanceof Refusal) return error.failure
    return failure(`${job.url} could not be fetched: ${error instanceof Error ? error.message : error}`)
  } finally {
    clearTimeout(timer)
  }
}

const failure = (error: string): Failure => ({ kind: 'failed', error })

async function follow(first: string, options: FetchOptions): Promise<Outcome> {
  let url = checkUrl(first, options)
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await askPage(url, options)
    const { statusCode = 0, headers } = response
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined)
      return await toOutcome(url, response, options)
    response.destroy()
    const next = checkUrl(new URL(headers.location, url).href, options)
    if (url.protocol === 'https:' && next.protocol === 'http:')
      throw new Refusal(
        `${url.href} leads to ${next.href}, which is not encrypted; it was not followed.`,
        'denied',
      )
    url = next
  }
  throw new Refusal(`${first} leads on and on: more than ${maxRedirects} redirects are not followed.`)
}

function checkUrl(text: string, { isAllowed }: FetchOptions): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) throw new Refusal(`"${text}" is no URL.`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Refusal(`Only http and https are fetched, not ${url.protocol}//.`, 'denied')
  if (url.username !== '' || url.password !== '')
    throw new Refusal('A URL with a name or a password in it is not fetched.', 'denied')
  if (isAllowed?.(url.href) === false)
    throw new Refusal(`${url.href} is of a site that the request does not allow.`, 'denied')
  return url
}

async function toOutcome(url: URL, response: http.IncomingMessage, options: FetchOptions): Promise<Outcome> {
  const { statusCode = 0, statusMessage = '', headers } = response
  const type = headers['content-type'] ?? ''
  if (statusCode < 200 || statusCode > 299) {
    response.destroy()
    throw new Refusal(
      `${url.href} answered ${statusCode} ${statusMessage}.`,
      statusCode === 404 || statusCode === 410 ? 'not-found' : 'failed',
    )
  }
  if (!isText(type)) {
    response.destroy()
    throw new Refusal(`${url.href} is ${type.slice(0, 100)}, which is no text.`)
  }
  const { bytes, end } = await readUpTo(response, url, options.outputBytes * markupFactor)
  if (type === '' && bytes.subarray(0, 1024).includes(0))
    throw new Refusal(`${url.href} does not say what it is, and is no text.`)
  const text = decode(bytes, type)
  const isHtml = /html/i.test(type) || (type === '' && /^\s*<(!doctype html|html)/i.test(text))
  return clip(isHtml ? htmlToText(text) : text, options.outputBytes, end)
}

const isText = (type: string) =>
  type === '' ||
  /^(text\/|application\/([\w.-]*\+)?(json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|x-sh|sql|graphql|x-javascript)\b|image\/svg\+xml)/i.test(
    type.trim(),
  )

const notes: Record<Exclude<PageEnd, 'whole'>, string> = {
  'over the limit': 'the page goes on; this is its beginning',
  part: 'the server sent a part of the page (206 Partial Content), not all of it',
  unmarked: 'the server does not say where the page ends, so it may be cut off here',
}

/** The limit is in bytes; a character is never split. */
function clip(text: string, limit: number, end: PageEnd): OutcomeOf<'fetch'> {
  const bytes = Buffer.from(text.replaceAll('\0', '\ufffd'))
  if (bytes.byteLength > limit) {
    const kept = new TextDecoder().decode(bytes.subarray(0, limit), { stream: true })
    return partOf(kept, `the page is cut here: ${limit} bytes are the limit`)
  }
  return end === 'whole' ? { kind: 'fetch', content: String(bytes) } : partOf(String(bytes), notes[end])
}

const partOf = (content: string, note: string): OutcomeOf<'fetch'> => ({
  kind: 'fetch',
  content: `${content}\n[dragoman: ${note}]`,
  truncated: true,
})
