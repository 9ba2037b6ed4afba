// A request as a line for the shell. The key is not in it.

export interface CurlRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
}

/** What is longer would not fit into a command line anyway. */
const longestBody = 20_000

export function curlLine({ method, url, headers, body }: CurlRequest, key: string | undefined): string {
  const parts = ['curl -N', quoted(url)]
  if (method !== 'POST') parts.push(`-X ${method}`)
  for (const [name, value] of Object.entries(headers)) {
    const shown =
      key !== undefined && value.includes(key)
        ? `"${name}: ${value.replace(key, '$KEY')}"`
        : quoted(`${name}: ${value}`)
    parts.push(`-H ${shown}`)
  }
  if (body !== undefined)
    parts.push(
      body.length > longestBody ? `-d '…' # a body of ${body.length} characters` : `-d ${quoted(body)}`,
    )
  return parts.join(' ')
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
