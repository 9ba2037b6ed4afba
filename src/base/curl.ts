// An HTTP request as a curl command for a POSIX shell. The secret is not in it: the shell fills in a variable.

interface CurlRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
}

interface CurlOptions {
  /** Every `text` in a header becomes `$variable`. */
  secret?: { text: string; variable: string } | undefined
  /** Longer bodies are left out: a command line has a limit. */
  maxBodyLength?: number
  /** Between the arguments. */
  separator?: string
}

export function curlCommand({ method, url, headers, body }: CurlRequest, options: CurlOptions = {}): string {
  const { secret, maxBodyLength = Number.POSITIVE_INFINITY, separator = ' ' } = options
  const parts = [`curl -N -X ${method} ${quoted(url)}`]
  for (const [name, value] of Object.entries(headers))
    parts.push(`-H ${quotedHeader(`${name}: ${value}`, secret)}`)
  if (body !== undefined && body.length <= maxBodyLength) parts.push(`--data-raw ${quoted(body)}`)
  else if (body !== undefined) parts.push(`--data-raw '…' # a body of ${body.length} characters`)
  return parts.join(separator)
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function quotedHeader(header: string, secret: CurlOptions['secret']): string {
  if (secret === undefined || !header.includes(secret.text)) return quoted(header)
  const escaped = header.split(secret.text).map((part) => part.replace(/["$`\\]/g, '\\$&'))
  return `"${escaped.join(`$${secret.variable}`)}"`
}
