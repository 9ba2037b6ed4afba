// Base URLs that end in a route, as in a service's examples. The route is removed, because the gateway appends its own.

import { isObject } from '../base/json.ts'

/** The endings to remove, by kind, the longest first. */
const routes: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['openai', ['/chat/completions', '/completions', '/responses', '/models']],
  ['anthropic', ['/v1/messages/count_tokens', '/v1/messages', '/v1/models', '/v1']],
])

/** By kind: endings that show that the other kind is meant. */
const foreignRoutes: ReadonlyMap<unknown, { kind: string; endings: readonly string[] }> = new Map([
  ['openai', { kind: 'anthropic', endings: ['/v1/messages'] }],
  ['anthropic', { kind: 'openai', endings: ['/chat/completions', '/responses'] }],
])

interface Correction {
  notes: string[]
  problems: string[]
}

/** Changes `config`, which is not validated yet. */
export function correctBaseUrls(config: unknown): Correction {
  const found: Correction = { notes: [], problems: [] }
  const backends = isObject(config) && isObject(config.backends) ? config.backends : {}
  for (const [name, backend] of Object.entries(backends)) {
    if (!isObject(backend) || typeof backend.baseUrl !== 'string') continue
    const at = `backends.${name}.baseUrl`
    const url = withoutSlashes(backend.baseUrl)
    const other = foreignRoutes.get(backend.kind)
    const foreign = other?.endings.find((ending) => url.endsWith(ending))
    if (other && foreign !== undefined) {
      found.problems.push(`${at}: ends in ${foreign}, a route of kind "${other.kind}"; is that its "kind"?`)
      continue
    }
    const route = routes.get(backend.kind)?.find((ending) => url.endsWith(ending))
    if (route === undefined) continue
    backend.baseUrl = withoutSlashes(url.slice(0, -route.length))
    found.notes.push(
      `${at}: ${route} at its end was left out, because it is appended; shorten it in the file`,
    )
  }
  return found
}

function withoutSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}
