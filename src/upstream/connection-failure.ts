// The error for a connection that failed or broke. Its message says what to do.

import { GatewayError } from '../core/errors.ts'

interface Circumstances {
  name: string
  host: string
  answered: boolean
  /** A proxy is configured; NO_PROXY may exempt this host. */
  proxied: boolean
  /** The base URL begins with http://. */
  plain: boolean
}

export function connectionFailure(
  error: Error,
  { name, host, answered, proxied, plain }: Circumstances,
): GatewayError {
  if (error instanceof GatewayError) return error
  const code = codeOf(error)
  if (answered) {
    return new GatewayError(
      'upstream-unavailable',
      `${name}the connection to ${host} broke before the answer was complete (${code}).`,
      {
        cause: error,
        status: 502,
      },
    )
  }
  const status = /^Proxy response \((\d+)\)/.exec(error.message)?.[1]
  const direct = (plain ? plainRemedies[code] : undefined) ?? remedies[code]
  const remedy = proxied && !isAboutTrust(code) ? proxyRemedy : direct
  return new GatewayError(
    'upstream-unavailable',
    `${name}${host} could not be reached (${status ? `the proxy answered ${status}` : code})${remedy ? `: ${remedy}` : ''}.`,
    {
      cause: error,
      ...(isAbsent.has(code) ? {} : { status: 502 }),
      ...(isAboutTrust(code) ? { retryable: false } : {}),
    },
  )
}

const codeOf = (error: Error) => (error as NodeJS.ErrnoException).code ?? error.name

/** Without a proxy, the code decides the words of the failure. */
export const causeOf = (error: Error): string | undefined =>
  error instanceof GatewayError ? undefined : codeOf(error)

/** There was no connection at all: the server may be starting. */
const isAbsent = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** A certificate that is not trusted stays so. */
const isAboutTrust = (code: string) => /CERT|VERIFY/.test(code)

const proxyRemedy =
  'check the proxy ("connect.proxy", or HTTPS_PROXY, HTTP_PROXY and NO_PROXY) and the server behind it'

const noTls = 'it does not speak TLS; write http:// instead of https:// in "baseUrl"'
const dropped = 'it closed the connection without an answer'
const perhapsTls = `${dropped}; if it always does, write https:// instead of http:// in "baseUrl"`

/** A TLS port drops plain HTTP, or answers it with an alert. */
const plainRemedies: Record<string, string> = {
  ECONNRESET: perhapsTls,
  UND_ERR_SOCKET: perhapsTls,
  HTTPParserError: 'it does not speak plain HTTP; write https:// instead of http:// in "baseUrl"',
}

const remedies: Record<string, string> = {
  ECONNRESET: `${dropped}; send the request again, or check the network`,
  UND_ERR_SOCKET: `${dropped}; send the request again, or check the network`,
  HTTPParserError: 'it does not speak HTTP; correct "baseUrl"',
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  ECONNREFUSED: 'nothing listens there; start that server or correct "baseUrl"',
  ENOTFOUND: 'no such host; correct "baseUrl" or check the network',
  EAI_AGAIN: 'the name could not be resolved; check the network',
  ETIMEDOUT: 'no connection in time; check the network or set "connect.proxy"',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 s; check the network or set "connect.proxy"',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; name its CA in "connect.ca"',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate chain is self-signed; name its CA in "connect.ca"',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted; name its CA in "connect.ca"',
}
