// The configuration file, as one definition: it validates, documents, and gives the JSON Schema for editors.

import { z } from 'zod'
import { execSchema } from './exec.ts'
import { telemetrySchema } from './telemetry.ts'
import { openaiToolText, qwenToolText } from './tool-text.ts'
import { baseUrl, headerName, headerText, headerValue, name, url } from './values.ts'
import { mostWorkers } from './workers.ts'

/** Where instances find each other. The library reads a query as settings of its own. */
const redisUrl = z
  .string()
  .refine(
    (value) =>
      URL.canParse(value) &&
      (/^unix:\/\/\/[^?#]+$/.test(value) || /^rediss?:\/\/[^/?#]+(\/\d*)?$/i.test(value)),
    'must be redis://HOST:PORT, rediss://HOST:PORT (each with USER:PASSWORD@ and /NUMBER if needed) or unix:///PATH',
  )
/** Node's timers go no further: beyond it they fire at once. */
const milliseconds = z.int().min(100).max(2_147_483_647)

const connection = {
  headers: z
    .record(headerName, headerText.or(z.literal('')))
    .optional()
    .describe('Extra request headers for this backend.'),
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
}

const shared = {
  ...connection,
  firstByteMs: milliseconds.default(600_000).describe('How long an answer may take to begin.'),
}

const anthropic = z.strictObject({
  kind: z.literal('anthropic'),
  baseUrl: baseUrl
    .refine((value) => !/\/v1\/*$/.test(value), 'must not end in /v1: /v1/messages is appended')
    .default('https://api.anthropic.com')
    .describe('/v1/messages is appended.'),
  apiKey: headerText,
  promptCache: z
    .enum(['auto', 'off'])
    .default('auto')
    .describe(
      'auto: where a client sets no cache_control, the ends of tools, system prompt and conversation are marked.',
    ),
  ...shared,
})

const openai = z
  .strictObject({
    kind: z.literal('openai'),
    baseUrl: baseUrl.describe(
      'With its version, e.g. http://127.0.0.1:8000/v1; /chat/completions is appended.',
    ),
    apiKey: headerText.optional(),
    authHeader: headerName
      .optional()
      .describe('The header that carries the key as it is, e.g. api-key. Absent: authorization, as Bearer.'),
    query: z
      .record(z.string().min(1, 'needs a name'), z.string())
      .optional()
      .describe('Parameters of every address, e.g. { "api-version": "2024-10-21" }.'),
    tools: z
      .enum(['native', 'text'])
      .default('native')
      .describe(
        'native: the server does tool calls itself; text: for models that have none, tools go into the prompt.',
      ),
    toolText: openaiToolText.optional().describe('With tools "text": how they are written there.'),
    ...shared,
  })
  .refine(({ tools, toolText }) => toolText === undefined || tools === 'text', {
    path: ['toolText'],
    error: 'has no effect without "tools": "text"',
  })
  .refine(({ authHeader, apiKey }) => authHeader === undefined || apiKey !== undefined, {
    path: ['authHeader'],
    error: 'has no effect without "apiKey"',
  })

/** Unofficial: docs/qwen-web.md. */
const qwenWeb = z.strictObject({
  kind: z.literal('qwen-web'),
  baseUrl: baseUrl.default('https://chat.qwen.ai').describe('API paths are appended.'),
  token: headerValue.describe('The token of your own login on the web page.'),
  cookie: headerText.optional().describe("Your own browser's cookies for that page, as it sends them."),
  userAgent: headerText
    .optional()
    .describe('Sent as user-agent; cookies may be bound to the one of your browser.'),
  version: headerValue.default('0.2.81').describe('Sent as version, which the service insists on.'),
  thinking: z
    .enum(['auto', 'on', 'off'])
    .default('auto')
    .describe('auto: as the request says (reasoning_effort), else as the service likes.'),
  deleteChats: z
    .boolean()
    .default(false)
    .describe('Delete a chat from the account when it is no longer gone on with.'),
  toolText: qwenToolText.prefault({}).describe('How tools are written into the prompt.'),
  ...shared,
})

const cursor = z.strictObject({
  kind: z.literal('cursor'),
  baseUrl: baseUrl.default('https://api2.cursor.sh').describe('RPC paths are appended.'),
  transport: z
    .enum(['auto', 'http2', 'sse'])
    .default('auto')
    .describe('auto: HTTP/2, unless the service says otherwise or it cannot be had; sse: HTTP/1.1.'),
  apiKey: headerText.optional().describe('Instead of `dragoman login cursor`: a key of the dashboard.'),
  accessToken: headerText.optional().describe('Instead of both: a token, used until it expires.'),
  clientType: headerValue.default('sdk').describe('Sent as x-cursor-client-type.'),
  clientVersion: headerValue
    .default('sdk-1.0.32')
    .describe('Sent as x-cursor-client-version; a version that is too old is refused by the service.'),
  checksum: z
    .enum(['off', 'machine', 'token'])
    .default('off')
    .describe('x-cursor-checksum, made from this machine or from the token. Not needed as far as is known.'),
  privacy: z.boolean().default(true).describe('Sent as x-ghost-mode.'),
  websiteUrl: url.default('https://cursor.com').describe('Where `dragoman login cursor` sends the browser.'),
  toolSchemas: z
    .enum(['value', 'both'])
    .default('value')
    .describe(
      'How schemas of tools are sent. both: also as their own text, in which large numbers keep their digits.',
    ),
  nativeTools: z
    .enum(['hide', 'redirect'])
    .default('hide')
    .describe(
      "Cursor's own tools. hide: models are shown the client's alone; redirect: models have both, and what they ask of Cursor's is done by the client's.",
    ),
  history: z
    .enum(['structured', 'text'])
    .default('structured')
    .describe('How earlier messages are given to a new run; text: all in one message.'),
  toolsInContext: z
    .boolean()
    .default(true)
    .describe(
      'Tools are named to the service twice, as the official client does; false: only in the request.',
    ),
  workspace: z
    .string()
    .min(1)
    .optional()
    .describe("The client's folder, where neither its header nor its prompt says it."),
  ...connection,
})

const toolArguments = z
  .enum(['whole', 'streamed'])
  .describe('whole: a tool call is sent once, complete. streamed: its arguments are sent as they come.')

const customCalls = z
  .enum(['function', 'custom'])
  .describe(
    'How calls of tools that take text look on the Chat route. function: as a function whose arguments are the text itself. custom: as OpenAI has them.',
  )

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
  workers: z
    .int()
    .min(1)
    .max(mostWorkers)
    .default(1)
    .describe('Processes that `serve` runs on its port, one for each core that it shall use.'),
  auth: z
    .union(
      [
        z.literal('none'),
        z.strictObject({
          keys: z
            .array(
              z.strictObject({
                name,
                key: z.string().min(8, 'a key needs at least 8 characters'),
                record: z
                  .boolean()
                  .optional()
                  .describe('Its owner may have turns recorded, by the header x-dragoman-record.'),
              }),
            )
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
      z.discriminatedUnion('kind', [anthropic, cursor, openai, qwenWeb], {
        error: 'must be "anthropic", "cursor", "openai" or "qwen-web"',
      }),
    )
    .describe('Model services by name; their models are called NAME/MODEL.'),
  models: z
    .record(z.string().min(1), z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]))
    .default({})
    .describe('Aliases. A list is tried in order while nothing has reached the client.'),
  clients: z
    .record(
      name,
      z.strictObject({ toolArguments: toolArguments.optional(), customCalls: customCalls.optional() }),
    )
    .default({})
    .describe('Behaviour per client, keyed by how the client shows itself (cursor-ide, opencode, …).'),
  toolArguments: toolArguments.default('whole'),
  sessions: z
    .strictObject({
      reuse: z.boolean().default(true).describe("Keep a session backend's run open between tool calls."),
      idleMs: milliseconds.default(900_000).describe('How long a session may wait for its tool results.'),
      max: z.int().min(1).default(1_000).describe('Sessions kept at once; the oldest goes first.'),
      keep: z
        .enum(['memory', 'disk'])
        .default('memory')
        .describe(
          'Where finished conversations are remembered for their next message; disk: in plain files, for 7 days.',
        ),
      progressMs: milliseconds
        .default(120_000)
        .describe('A stream without progress for this long is given up.'),
      redis: redisUrl
        .optional()
        .describe('For several instances behind one balancer: a session is found from each of them.'),
      peerUrl: baseUrl
        .refine(
          (value) => !URL.canParse(value) || new URL(value).pathname === '/',
          'must have no path: http://HOST:PORT',
        )
        .optional()
        .describe(
          'How the other instances reach this one; as it listens, unless that is a wildcard address.',
        ),
      peerSecret: z
        .string()
        .min(32, 'needs at least 32 characters')
        .optional()
        .describe('The same on all instances: signs what they send each other.'),
    })
    .prefault({}),
  exec: execSchema.prefault({}).describe('Tools that the gateway runs itself: docs/local-tools.md.'),
  inspector: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe('A page at / that shows turns as they happen: docs/inspector.md.'),
      turns: z.int().min(1).max(10_000).default(200).describe('How many turns it keeps, in memory.'),
      bytes: z.int().min(1_048_576).default(33_554_432).describe('How much it keeps of them, together.'),
    })
    .prefault({}),
  limits: z
    .strictObject({
      bodyBytes: z.int().min(1024).default(33_554_432).describe('Largest request body.'),
      bodyValues: z
        .int()
        .min(1000)
        .default(200_000)
        .describe('Most JSON values and member names in a request body.'),
      bodiesBytes: z
        .int()
        .min(1_048_576)
        .default(268_435_456)
        .describe('Of all request bodies that are being read at one time.'),
    })
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
  tapes: z
    .strictObject({
      record: z
        .enum(['off', 'asked', 'all'])
        .default('off')
        .describe(
          'Which turns are recorded, with everything that was said. asked: those whose request has the header x-dragoman-record.',
        ),
      folder: z.string().min(1).optional().describe('Where tapes are kept.'),
      maxBytes: z
        .int()
        .min(1024)
        .default(16_777_216)
        .describe('Of one tape; what is beyond is left out, and the tape says so.'),
      keepBytes: z
        .int()
        .min(1024)
        .default(1_073_741_824)
        .describe('Of all tapes together; the oldest go first.'),
    })
    .prefault({})
    .describe('Both sides of the wire, turn by turn, in files: docs/tapes.md.'),
  telemetry: telemetrySchema
    .prefault({})
    .describe('Traces of turns, sent to an OpenTelemetry collector: docs/telemetry.md.'),
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
