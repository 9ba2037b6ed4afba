// The body of another API on this route: the error names the route that takes it.

import { type Fields, invalid } from './decode.ts'

/** By the field that holds the conversation. */
const routes = new Map([
  ['messages', 'POST /v1/chat/completions or /v1/messages'],
  ['input', 'POST /v1/responses'],
  ['contents', 'POST /v1beta/models/MODEL:generateContent'],
])

/** `own`: the field that this route needs. */
export function refuseOtherBody(fields: Fields, own: string): void {
  const isSet = (name: string) => (fields[name] ?? null) !== null
  if (isSet(own)) return
  for (const [name, route] of routes)
    if (name !== own && isSet(name)) throw invalid(own, `is required; a body with "${name}" is for ${route}`)
}
