// The gateway under test: finds its base URL and checks that a gateway answers there.

import { NoReply, type Reply, send } from '../clients/http.ts'
import { parsed, shapesAt, textAt } from '../clients/json.ts'

/** The gateway cannot be judged; the message says why and what to do. */
export class CannotJudge extends Error {
  override readonly name = 'CannotJudge'
}

export interface Target {
  /** Ends in /v1 or its equivalent. */
  base: string
  key: string | undefined
  headers: Record<string, string>
  timeoutMs: number
}

interface FoundTarget {
  target: Target
  /** How the URL was interpreted. */
  notes: string[]
  /** Empty if the gateway has no list. */
  models: string[]
}

const ownPaths = /\/(chat\/completions|completions|responses|messages|models)$/

/** Base URLs to try, the most likely first. */
export function candidates(given: string): { bases: string[]; notes: string[] } {
  const text = given.trim()
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol) || !/^https?:\/\/[^/]/i.test(text))
    throw new CannotJudge(
      `"${given}" is not an http:// or https:// URL. A gateway's base URL looks like http://127.0.0.1:18741/v1`,
    )
  const url = new URL(text)
  if (url.username !== '' || url.password !== '')
    throw new CannotJudge('A URL must not hold a key: pass it with --key.')
  const notes: string[] = []
  let path = url.pathname.replace(/(?<!\/)\/+$/, '')
  if (ownPaths.test(path)) {
    path = path.replace(ownPaths, '')
    notes.push(`${url.pathname} is one of its routes; the base URL is the part before it`)
  }
  if (/^\/api(\/(chat|generate|tags|show|version))?$/.test(path)) {
    notes.push(`${path} looks like Ollama's own API; its OpenAI-compatible one is /v1`)
    return { bases: [`${url.origin}/v1`, `${url.origin}/api/v1`], notes }
  }
  if (/\/v\d[a-z0-9]*$/.test(path)) return { bases: [url.origin + path], notes }
  return { bases: [`${url.origin}${path}/v1`, url.origin + path], notes }
}

export async function findTarget(given: string, options: Omit<Target, 'base'>): Promise<FoundTarget> {
  const { bases, notes } = candidates(given)
  const tried: { base: string; reply: Reply }[] = []
  for (const base of bases) {
    const reply = await listModels(base, options)
    tried.push({ base, reply })
    refuse(base, reply)
    if (reply.status === 404 || isPage(reply)) continue
    const normal = given.replace(/(?<!\/)\/+$/, '')
    if (base !== normal) notes.push(`judging ${base}`)
    return { target: { base, ...options }, notes, models: modelNames(reply) }
  }
  const page = tried.find(({ reply }) => isPage(reply) && reply.status < 400)
  if (page)
    throw new CannotJudge(
      `${page.base} answers with a web page, not with an API. Give the base URL of the API; it usually ends in /v1.`,
    )
  // Some gateways have no list of models.
  const [base = ''] = bases
  return { target: { base, ...options }, notes: [...notes, `judging ${base}`], models: [] }
}

async function listModels(base: string, { key, headers, timeoutMs }: Omit<Target, 'base'>): Promise<Reply> {
  try {
    return await send({
      method: 'GET',
      url: `${base}/models`,
      headers: { accept: 'application/json', ...keyHeaders(key), ...headers },
      timeoutMs,
    })
  } catch (error) {
    throw new CannotJudge(unreachable(base, error))
  }
}

export const keyHeaders = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` }

function refuse(base: string, { status, headers, text }: Reply): void {
  if (status >= 300 && status < 400)
    throw new CannotJudge(
      `${base} redirects to ${headers.location ?? 'somewhere else'} (HTTP ${status}), which is not followed: the key would go there too. Give that address.`,
    )
  if (status === 401 || status === 403)
    throw new CannotJudge(
      `${base} refuses the key (HTTP ${status}${said(text)}). Pass the gateway's own key with --key.`,
    )
}

const said = (text: string) => {
  const message = textAt(parsed(text), 'error', 'message') || textAt(parsed(text), 'message')
  return message === '' ? '' : `: ${message.slice(0, 200)}`
}

const isPage = ({ headers, text }: Reply) =>
  String(headers['content-type'] ?? '').includes('html') || /^\s*<(!doctype|html)/i.test(text)

const modelNames = ({ text }: Reply): string[] =>
  shapesAt(parsed(text), 'data').flatMap((model) => textAt(model, 'id') || [])

const remedies: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there. Start the gateway, or correct the port',
  ECONNRESET: 'the connection was dropped. Should it be https:// instead of http://, or the other way round?',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'there is no such host, or no network',
  TIMEOUT: 'no answer came in time',
  HPE_INVALID_CONSTANT: 'the server does not speak HTTP. Should it be https:// instead of http://?',
  EPROTO: 'the server does not speak TLS. Should it be http:// instead of https://?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS. Should it be http:// instead of https://?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not speak TLS. Should it be http:// instead of https://?',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; name its CA in NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed; name its CA in NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is signed by an unknown CA; name it in NODE_EXTRA_CA_CERTS',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
}

export function unreachable(base: string, error: unknown): string {
  const { code, message } = error instanceof NoReply ? error : { code: 'ERROR', message: String(error) }
  return `${base} cannot be reached: ${remedies[code] ?? message} (${code}).`
}
