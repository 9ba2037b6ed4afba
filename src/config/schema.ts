// The configuration file: this schema validates it and produces the JSON Schema for editors. To add a key: add it here (a key of a
// backend: in backend-schema.ts) with a default and a description, and add a row to docs/configuration.md; test/cli/docs.test.ts
// compares the two. A string must also be classified in own-paths.test.ts.

import { z } from 'zod'
import { backendSchema } from './backend-schema.ts'
import { callsSchema } from './calls.ts'
import { execSchema } from './exec.ts'
import { lacksSchema } from './lacks.ts'
import { pricesSchema } from './prices.ts'
import { aliasSchema } from './routes.ts'
import { telemetrySchema } from './telemetry.ts'
import { baseUrl, milliseconds, name } from './values.ts'
import { mostWorkers } from './workers.ts'

/** The Redis that instances share. No query: the client library would read it as its own settings. */
const redisUrl = z
  .string()
  .refine(
    (value) =>
      URL.canParse(value) &&
      (/^unix:\/\/\/[^?#]+$/.test(value) || /^rediss?:\/\/[^/?#]+(\/\d*)?$/i.test(value)),
    'must be redis://HOST:PORT, rediss://HOST:PORT (each with USER:PASSWORD@ and /NUMBER if needed) or unix:///PATH',
  )

const toolArguments = z
  .enum(['whole', 'streamed'])
  .describe('whole: a tool call is sent once, complete. streamed: its arguments are sent as deltas.')

const customCalls = z
  .enum(['function', 'custom'])
  .describe(
    "The shape of calls to free-text tools on the Chat route. function: a function whose arguments are the text. custom: OpenAI's own shape.",
  )

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  listen: z
    .strictObject({
      host: z
        .string()
        .default('127.0.0.1')
        .describe('An address other than loopback requires a key of at least 32 characters.'),
      port: z.int().min(0).max(65_535).default(18_741).describe('0 picks a free port.'),
    })
    .prefault({}),
  workers: z
    .int()
    .min(1)
    .max(mostWorkers)
    .default(1)
    .describe('Processes that `serve` runs on its port, one for each core to use.'),
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
                  .describe('Allows the header x-dragoman-record, which records a turn.'),
                accounts: z
                  .array(z.string().regex(/^[^@]+@[^@]+$/, 'must be BACKEND@ACCOUNT'))
                  .optional()
                  .describe(
                    'The account of a backend that its turns use, as BACKEND@ACCOUNT: docs/pools.md.',
                  ),
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
      'Default: a key is created on the first run and kept in a file. "none": any or no key, loopback only.',
    ),
  backends: z
    .record(name, backendSchema)
    .describe('Model services by name; their models are called NAME/MODEL.'),
  models: z
    .record(z.string().min(1), aliasSchema)
    .default({})
    .describe(
      'Aliases. A list is tried in order until something has reached the client; rows with "when" come before it.',
    ),
  clients: z
    .record(
      name,
      z.strictObject({ toolArguments: toolArguments.optional(), customCalls: customCalls.optional() }),
    )
    .default({})
    .describe('Settings per client, by its detected name (cursor-ide, opencode, …).'),
  toolArguments: toolArguments.default('whole'),
  deferTools: z
    .union([z.enum(['auto', 'off']), z.int().min(8).max(10_000)])
    .default('auto')
    .describe(
      'Tools that the model searches for: where the service needs it, never, or also above this number.',
    ),
  calls: callsSchema.prefault({}).describe('The check of tool calls: docs/calls.md.'),
  lacks: lacksSchema.prefault({}).describe('What the gateway does for models that lack it: docs/lacks.md.'),
  prices: pricesSchema
    .default({})
    .describe('What models cost, by MODEL, BACKEND/MODEL or BACKEND/*; off: costs are not shown.'),
  responses: z
    .strictObject({
      webSocket: z
        .boolean()
        .default(true)
        .describe('WebSocket mode of the Responses API; without it clients fall back to HTTP.'),
    })
    .prefault({}),
  ollama: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe("Ollama's own API below /api, for programs that know nothing else."),
      port: z
        .int()
        .min(0)
        .max(65_535)
        .optional()
        .describe('A second port with the same routes: 11434 is where Ollama listens; 0 picks a free one.'),
    })
    .refine(({ enabled, port }) => enabled || port === undefined, {
      path: ['port'],
      message: 'has no effect without "ollama.enabled"',
    })
    .prefault({})
    .describe("Ollama's API as a door: docs/ollama.md."),
  sessions: z
    .strictObject({
      reuse: z.boolean().default(true).describe("Keep a session backend's run open between tool calls."),
      idleMs: milliseconds.default(900_000).describe('How long a session may wait for its tool results.'),
      max: z.int().min(1).default(1_000).describe('Sessions kept at once; the oldest goes first.'),
      keep: z
        .enum(['memory', 'disk'])
        .default('memory')
        .describe(
          'Where finished conversations are kept for their next message; disk: in plain files, for 7 days.',
        ),
      progressMs: milliseconds
        .default(120_000)
        .describe('A stream without progress for this long is given up.'),
      redis: redisUrl
        .optional()
        .describe('For several instances behind one load balancer: each can find every session.'),
      peerUrl: baseUrl
        .refine(
          (value) => !URL.canParse(value) || new URL(value).pathname === '/',
          'must have no path: http://HOST:PORT',
        )
        .optional()
        .describe(
          'The URL of this instance for the others. Default: the address that it listens on; required for a wildcard address.',
        ),
      peerSecret: z
        .string()
        .min(32, 'needs at least 32 characters')
        .optional()
        .describe('The same on all instances: signs the requests between them.'),
    })
    .prefault({}),
  exec: execSchema.prefault({}).describe('Tools that the gateway runs itself: docs/local-tools.md.'),
  inspector: z
    .strictObject({
      enabled: z.boolean().default(false).describe('A page at / that shows turns live: docs/inspector.md.'),
      turns: z.int().min(1).max(10_000).default(200).describe('Turns kept in memory.'),
      bytes: z
        .int()
        .min(1_048_576)
        .default(100_663_296)
        .describe('Memory limit for all turns; a third of it for one.'),
      resend: z.boolean().default(true).describe('Whether the page may send recorded requests again.'),
    })
    .prefault({}),
  limits: z
    .strictObject({
      bodyBytes: z.int().min(1024).default(33_554_432).describe('Largest request body.'),
      bodyValues: z
        .int()
        .min(1000)
        .default(200_000)
        .describe('Maximum number of JSON values and member names in a request body.'),
      bodiesBytes: z
        .int()
        .min(1_048_576)
        .default(268_435_456)
        .describe('Limit of all request bodies that are being read at the same time.'),
    })
    .prefault({}),
  allow: z
    .strictObject({
      hosts: z
        .array(z.string().min(1))
        .default([])
        .describe('Host names that requests may use, in addition to loopback.'),
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
          'Which turns are recorded, with prompts and answers. asked: requests with the header x-dragoman-record.',
        ),
      folder: z.string().min(1).optional().describe('The folder of the tapes.'),
      maxBytes: z
        .int()
        .min(1024)
        .default(16_777_216)
        .describe('Limit of one tape; frames beyond it are dropped, and the tape is marked as cut.'),
      keepBytes: z
        .int()
        .min(1024)
        .default(1_073_741_824)
        .describe('Limit of all tapes; the oldest are removed first.'),
    })
    .prefault({})
    .describe('Records both sides of the wire in a file per turn: docs/tapes.md.'),
  telemetry: telemetrySchema
    .prefault({})
    .describe('Traces of turns, sent to an OpenTelemetry collector: docs/telemetry.md.'),
  reload: z
    .enum(['watch', 'signal'])
    .default('watch')
    .describe(
      'When `serve` takes over a changed file. watch: as soon as it changes; signal: on SIGHUP and by `dragoman reload` only.',
    ),
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
      format: z
        .enum(['auto', 'pretty', 'json'])
        .default('auto')
        .describe(
          'pretty: a line to read for each turn. json: one object per line. auto: pretty on a terminal, else json.',
        ),
    })
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
