// The configuration file, as one definition: it validates, documents, and gives the JSON Schema for editors.

import { z } from 'zod'

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'use letters, digits, ".", "_" and "-"')
// Not z.url(): editors would mark `{env:NAME}` by its format.
const url = z
  .string()
  .refine(
    (value) => /^https?:\/\/[^/]/i.test(value) && URL.canParse(value),
    'must be an http:// or https:// URL',
  )
/** What would be dropped in requests is refused. */
const baseUrl = url.refine((value) => {
  if (!URL.canParse(value)) return true
  const { search, hash, username, password } = new URL(value)
  return search + hash + username + password === ''
}, 'must have no query, fragment, user or password: paths are appended to it, credentials belong in "apiKey" or "headers"')
/** Node's timers go no further: beyond it they fire at once. */
const milliseconds = z.int().min(100).max(2_147_483_647)

const shared = {
  headers: z.record(z.string(), z.string()).optional().describe('Extra request headers for this backend.'),
  connect: z
    .strictObject({
      proxy: url
        .optional()
        .describe('Proxy for this backend; else HTTPS_PROXY, HTTP_PROXY and NO_PROXY apply.'),
      ca: z
        .string()
        .optional()
        .describe('PEM file with certificate authorities to trust beside the usual ones.'),
    })
    .optional(),
  firstByteMs: milliseconds.default(600_000).describe('How long an answer may take to begin.'),
}

const anthropic = z.strictObject({
  kind: z.literal('anthropic'),
  baseUrl: baseUrl
    .refine((value) => !/\/v1\/*$/.test(value), 'must not end in /v1: /v1/messages is appended')
    .default('https://api.anthropic.com')
    .describe('/v1/messages is appended.'),
  apiKey: z.string().min(1),
  promptCache: z
    .enum(['auto', 'off'])
    .default('auto')
    .describe(
      'auto: where a client sets no cache_control, the ends of tools, system prompt and conversation are marked.',
    ),
  ...shared,
})

const openai = z.strictObject({
  kind: z.literal('openai'),
  baseUrl: baseUrl.describe(
    'With its version, e.g. http://127.0.0.1:8000/v1; /chat/completions is appended.',
  ),
  apiKey: z.string().min(1).optional(),
  tools: z.enum(['native']).default('native').describe('native: the server does tool calls itself.'),
  ...shared,
})

const toolArguments = z
  .enum(['whole', 'streamed'])
  .describe('whole: a tool call is sent once, complete. streamed: its arguments are sent as they come.')

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  listen: z
    .strictObject({
      host: z
        .string()
        .default('127.0.0.1')
        .describe('Another address than loopback needs a key of at least 32 characters.'),
      port: z.int().min(0).max(65_535).default(18_741).describe('0 picks a free one.'),
    })
    .prefault({}),
  auth: z
    .union(
      [
        z.literal('none'),
        z.strictObject({
          keys: z
            .array(z.strictObject({ name, key: z.string().min(8, 'a key needs at least 8 characters') }))
            .min(1)
            .describe('Who may call the gateway.'),
        }),
      ],
      { error: 'must be "none" or { "keys": [{ "name": …, "key": … }] }' },
    )
    .optional()
    .describe(
      'Absent: one key is made on the first run and kept in a file. "none": any or no key, loopback only.',
    ),
  backends: z
    .record(
      name,
      z.discriminatedUnion('kind', [anthropic, openai], { error: 'kind must be "anthropic" or "openai"' }),
    )
    .describe('Model services by name; their models are called NAME/MODEL.'),
  models: z
    .record(z.string().min(1), z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]))
    .default({})
    .describe('Aliases. A list is tried in order while nothing has reached the client.'),
  clients: z
    .record(name, z.strictObject({ toolArguments: toolArguments.optional() }))
    .default({})
    .describe('Behaviour per client, keyed by how the client shows itself (cursor-ide, opencode, …).'),
  toolArguments: toolArguments.default('whole'),
  sessions: z
    .strictObject({
      reuse: z.boolean().default(true).describe("Keep a session backend's run open between tool calls."),
      idleMs: milliseconds.default(900_000).describe('How long a session may wait for its tool results.'),
      max: z.int().min(1).default(1_000).describe('Sessions kept at once; the oldest goes first.'),
      progressMs: milliseconds
        .default(120_000)
        .describe('A stream without progress for this long is given up.'),
    })
    .prefault({}),
  exec: z
    .strictObject({
      enabled: z.literal(false, 'running tools on this machine is not part of this version').default(false),
      root: z.string().default('.'),
    })
    .prefault({})
    .describe('Tools run by the gateway itself: not in this version, only false is accepted.'),
  limits: z
    .strictObject({ bodyBytes: z.int().min(1024).default(33_554_432).describe('Largest request body.') })
    .prefault({}),
  allow: z
    .strictObject({
      hosts: z
        .array(z.string().min(1))
        .default([])
        .describe('Host names beside loopback under which the gateway may be called.'),
      origins: z
        .array(z.string().min(1))
        .default([])
        .describe('Web origins that may call the gateway from a browser.'),
    })
    .prefault({}),
  log: z
    .strictObject({ level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info') })
    .prefault({}),
})

export type Config = z.infer<typeof configSchema>
export type BackendConfig = Config['backends'][string]

export function configJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(configSchema, { io: 'input', target: 'draft-2020-12' }),
    title: 'Dragoman configuration',
  }
}
