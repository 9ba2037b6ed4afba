// The error for a connection that failed or broke. Its message says what to do.

import { GatewayError } from '../core/errors.ts'

interface Circumstances {
  name: string
  host: string
  answered: boolean
  /** A proxy is configured; NO_PROXY may exempt this host. */
  proxied: boolean
}

export function connectionFailure(
  error: Error,
  { name, host, answered, proxied }: Circumstances,
): GatewayError {
  if (error instanceof GatewayError) return error
  const code = (error as NodeJS.ErrnoException).code ?? error.name
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
  const remedy = proxied && !isAboutTrust(code) ? proxyRemedy : remedies[code]
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

const remedies: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there; start that server or correct "baseUrl"',
  ENOTFOUND: 'no such host; correct "baseUrl" or check the network',
  EAI_AGAIN: 'the name could not be resolved; check the network',
  ETIMEDOUT: 'no connection in time; check the network or set "connect.proxy"',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 s; check the network or set "connect.proxy"',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; name its CA in "connect.ca"',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate chain is self-signed; name its CA in "connect.ca"',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted; name its CA in "connect.ca"',
}
