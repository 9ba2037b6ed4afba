// A request as a command line. The key is not in it: the shell fills it in.

import type { ClientRequest } from './request.ts'

/** What changes an answer; everything else is about the client that sent it. */
const kept = /^(content-type|anthropic-version|anthropic-beta|openai-beta|x-dragoman-(?!page).*)$/

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

export function asCurl({ method, path, headers, body }: ClientRequest, origin: string): string {
  const own = Object.entries(headers).filter(([name]) => kept.test(name))
  if (!own.some(([name]) => name === 'content-type')) own.unshift(['content-type', 'application/json'])
  return [
    `curl -N -X ${method} ${quoted(origin + path)}`,
    '-H "authorization: Bearer $DRAGOMAN_KEY"',
    ...own.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ')
}
