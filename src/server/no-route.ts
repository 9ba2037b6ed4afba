// The error for a request that has no route: a known mistake is named, with the base URL that the client needs.

import { nearest } from '../base/nearest.ts'
import { GatewayError } from '../core/errors.ts'

const inspectorHint =
  'the inspector is off; start with `dragoman serve --inspect`, or set "inspector.enabled"'

const ollamaHint =
  'Ollama\'s own API is off; set "ollama.enabled", or use the OpenAI-compatible base URL ending in /v1'

const embeddingsHint = "embeddings are not served; point the client's embedding model elsewhere"

const hints = new Map<string, string>(
  Object.entries({
    '/chat/completions': "set the client's base URL to end in /v1 (POST /v1/chat/completions)",
    '/responses': "set the client's base URL to end in /v1 (POST /v1/responses)",
    '/tool_results': 'use POST /v1/tool_results',
    '/messages': 'use POST /v1/messages; Anthropic clients append /v1/messages to their base URL',
    '/models': "set the client's base URL to end in /v1 (GET /v1/models)",
    '/v1':
      'this is the base URL itself; clients append /chat/completions or /responses to it (Anthropic clients leave /v1 out)',
    '/v1/completions': 'legacy completions are not served; use POST /v1/chat/completions',
    '/v1/embeddings': embeddingsHint,
    '/v1/messages/batches': 'batches are not served; use POST /v1/messages',
    '/v1/complete': 'legacy completions are not served; use POST /v1/messages',
    ...Object.fromEntries(
      ['chat', 'generate', 'ps', 'pull', 'show', 'tags', 'version'].map((name) => [
        `/api/${name}`,
        ollamaHint,
      ]),
    ),
    '/api/embed': embeddingsHint,
    '/api/embeddings': embeddingsHint,
    '/inspector': inspectorHint,
    '/v1beta':
      "this is the base URL itself; Google's clients append /v1beta/models/MODEL:generateContent to the address alone",
  }),
)

/** The path of an Anthropic client whose base URL ends in /v1. */
const messagesTwice = /^\S+ (?:\/v1){2,}\/messages(\/|$)/

/** The path of a client whose base URL holds a whole route, to which it appends another. */
const routeInBase =
  /^\S+ \/v1\/(?:chat\/completions|messages|responses)\/(?:v1\/)?(?:chat\/completions|messages|models|responses)(\/|$)/
const messagesInBase = /^\S+ \/v1\/messages\/v1(\/|$)/

/** For routes with an id in their path, and for paths that look like one. */
const hintPatterns: readonly (readonly [RegExp, string])[] = [
  [
    messagesInBase,
    'the base URL holds the route already; set it to the address alone: Anthropic clients append /v1/messages themselves',
  ],
  [routeInBase, 'the base URL holds a route already; set it to end in /v1'],
  [messagesTwice, 'the base URL has /v1 twice; Anthropic clients append /v1/messages themselves'],
  [/^\S+ (?:\/v1){2,}(\/|$)/, 'the base URL has /v1 twice; leave one out'],
  [
    /^\S+ \/v1\/conversations(\/|$)/,
    'conversations are not kept as such; use previous_response_id, or send the whole input',
  ],
  [/^\S+ \/v1beta\/\S*:(?:batchE|e)mbedContents?$/, embeddingsHint],
  [/^\S+ \/v1beta\/(?:cachedContents|files)(\/|$)/, 'nothing is stored here; send the contents themselves'],
  [/^\S+ \/v1beta\/interactions(\/|$)/, 'interactions are not served; use generateContent'],
  [/^\S+ \/inspector\//, inspectorHint],
  [
    /^\S+ \/api\/(?:blobs|copy|create|delete|push)(\/|$)/,
    'models are not stored here; add them to the configuration of the gateway',
  ],
]

const hintFor = (method: string, path: string) =>
  hints.get(path) ?? hintPatterns.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1]

interface Asked {
  /** What the path takes. */
  methods: readonly string[]
  inspects: boolean
  /** All paths that this method has. */
  known: readonly string[]
}

/** Claude Code shows any 404 as an unknown model, whatever the message is. */
const isForClaudeCode = (asked: string) => messagesTwice.test(asked) || messagesInBase.test(asked)

/** The error for an unknown route, with a hint if the path is a known mistake. */
export function noRoute(
  method: string,
  path: string,
  { methods, inspects, known: paths }: Asked,
): GatewayError {
  const known = hintFor(method, path.replace(/(?<!\/)\/+$/, ''))
  const isOn = (inspects && known === inspectorHint) || (known === ollamaHint && methods.length > 0)
  const hint = isOn ? undefined : known
  const others = hint === undefined ? methods : []
  if (others.length > 0)
    return new GatewayError('method-not-allowed', `${path} takes ${others.join(', ')}, not ${method}.`)
  const shown = path.slice(0, 200)
  return new GatewayError(
    isForClaudeCode(`${method} ${path}`) ? 'invalid-request' : 'not-found',
    `Nothing is served at ${method} ${shown}${hint ? `: ${hint}.` : `; ${suggestion(method, path, paths)}`}`,
  )
}

function suggestion(method: string, path: string, paths: readonly string[]): string {
  const [close] = path.startsWith('/v1/') ? nearest(path, paths, 1) : []
  return close === undefined ? 'GET / lists the routes.' : `did you mean ${method} ${close}?`
}
