// "Copy as curl": a recorded request as a command that sends it again.

import { curlCommand } from '../../base/curl.ts'
import type { ClientRequest } from './request.ts'

/** Headers that change an answer; all others describe the client that sent the request. */
const kept = /^(content-type|anthropic-version|anthropic-beta|openai-beta|x-dragoman-(?!page).*)$/

/** Stands for the key, which no recorded request holds. */
const key = '[key]'

export function asCurl({ method, path, headers, body }: ClientRequest, origin: string): string {
  const own = Object.entries(headers).filter(([name]) => kept.test(name))
  const isTyped = own.some(([name]) => name === 'content-type')
  const sent = {
    authorization: `Bearer ${key}`,
    ...(isTyped ? {} : { 'content-type': 'application/json' }),
    ...Object.fromEntries(own),
  }
  return curlCommand(
    { method, url: origin + path, headers: sent, body },
    { secret: { text: key, variable: 'DRAGOMAN_KEY' }, separator: ' \\\n  ' },
  )
}
