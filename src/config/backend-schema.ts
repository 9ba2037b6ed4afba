// The settings of a backend, by kind. To add one: add it to its kind here and to the table of that kind in docs/configuration.md;
// test/cli/docs.test.ts compares the two.

import { z } from 'zod'
import { cursorAccounts, keyAccounts, poolSchema } from './accounts.ts'
import { callsSchema } from './calls.ts'
import { atBedrock, atVertex, bedrockKeys, hasWholeKey, vertexKeys } from './claude-clouds.ts'
import { pricesSchema } from './prices.ts'
import { openaiToolText, qwenToolText } from './tool-text.ts'
import { baseUrl, headerName, headerText, headerValue, milliseconds, url } from './values.ts'

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
      ca: z.string().optional().describe('PEM file with additional certificate authorities to trust.'),
    })
    .optional(),
  calls: callsSchema.optional().describe('The check of tool calls from this backend: docs/calls.md.'),
  prices: pricesSchema
    .optional()
    .describe('What its models cost, by MODEL or * for all; off: their cost is not known.'),
}

const shared = {
  ...connection,
  firstByteMs: milliseconds.default(600_000).describe('Timeout for the first byte of an answer.'),
}

const accountHeaders = <const Name extends string>(names: readonly Name[]) =>
  z
    .array(z.enum(names))
    .optional()
    .describe(
      "Headers of the client's request that choose the account and are passed on; without this, none is.",
    )

/** docs/constrained-calls.md says what `auto` means for which service. */
const strict = (auto: string) =>
  z
    .enum(['auto', 'on', 'off'])
    .default('auto')
    .describe(
      `Whether the service is asked to hold its model to the schemas of tools ("strict"), for clients of another dialect that do not ask themselves. auto: ${auto}`,
    )

const promptCache = z
  .enum(['auto', 'off'])
  .default('auto')
  .describe(
    'auto: if the client sets no cache_control, the ends of tools, system prompt and conversation are marked.',
  )

/** A token of a login, not an API key. */
const isSubscription = (apiKey: string) => apiKey.startsWith('sk-ant-oat')

interface Credentials {
  apiKey?: string | undefined
  accessToken?: string | undefined
  accounts?: readonly unknown[] | undefined
}

const someCredential = [
  ({ apiKey, accounts }: Credentials) => apiKey !== undefined || accounts !== undefined,
  { path: ['apiKey'] as string[], error: 'is required, unless there are "accounts"' },
] as const

const oneCredential = [
  ({ apiKey, accessToken, accounts }: Credentials) =>
    accounts === undefined || (apiKey === undefined && accessToken === undefined),
  {
    path: ['accounts'] as string[],
    error: 'replaces the credential of the backend: make that one of the accounts',
  },
] as const

const ownAnthropic = z
  .strictObject({
    kind: z.literal('anthropic'),
    provider: z
      .literal('anthropic')
      .optional()
      .describe('Who serves the models; also "bedrock" and "vertex", with settings of their own.'),
    baseUrl: baseUrl
      .refine((value) => !/\/v1\/*$/.test(value), 'must not end in /v1: /v1/messages is appended')
      .default('https://api.anthropic.com')
      .describe('/v1/messages is appended.'),
    apiKey: headerText.optional().describe('Required without "accounts".'),
    accounts: keyAccounts,
    pool: poolSchema('auto'),
    promptCache,
    strict: strict('no.'),
    toolSearch: z
      .enum(['auto', 'service', 'gateway'])
      .default('auto')
      .describe(
        'Who searches deferred tools for Messages clients that leave it to their service. auto: the service at Anthropic, at clouds and for models named claude at unknown addresses; else the gateway.',
      ),
    accountHeaders: accountHeaders(['anthropic-workspace-id']),
    ...shared,
  })
  .refine(
    ({ accounts = [] }) => accounts.length < 2 || accounts.every(({ apiKey }) => !isSubscription(apiKey)),
    {
      path: ['accounts'],
      error: 'must have API keys: the terms of subscriptions forbid to pool them',
    },
  )
  .refine(...someCredential)
  .refine(...oneCredential)

const bedrock = z
  .strictObject({ kind: z.literal('anthropic'), ...bedrockKeys, promptCache, ...shared })
  .refine(hasWholeKey, {
    path: ['secretAccessKey'],
    error: 'needs "accessKeyId", "secretAccessKey" and, if temporary, "sessionToken" together',
  })
  .transform(atBedrock)

const vertex = z
  .strictObject({ kind: z.literal('anthropic'), ...vertexKeys, promptCache, ...shared })
  .transform(atVertex)

const anthropic = z.discriminatedUnion('provider', [ownAnthropic, bedrock, vertex], {
  error: 'must be "anthropic", "bedrock" or "vertex"',
})

const openai = z
  .strictObject({
    kind: z.literal('openai'),
    baseUrl: baseUrl.describe(
      'With the version, e.g. http://127.0.0.1:8000/v1; /chat/completions or /responses is appended.',
    ),
    api: z
      .enum(['auto', 'chat', 'responses'])
      .default('auto')
      .describe(
        "chat: Chat Completions; responses: the Responses API. auto: Responses for OpenAI's models that take tools beside reasoning only there (gpt-5.4 and later), on OpenAI's and Azure's hosts or where the service says so; else Chat.",
      ),
    apiKey: headerText.optional(),
    accounts: keyAccounts,
    pool: poolSchema('auto'),
    authHeader: headerName
      .optional()
      .describe('The header that carries the plain key, e.g. api-key. Default: authorization, as Bearer.'),
    query: z
      .record(z.string().min(1, 'needs a name'), z.string())
      .optional()
      .describe('Query parameters of every request, e.g. { "api-version": "2024-10-21" }.'),
    tools: z
      .enum(['native', 'text'])
      .default('native')
      .describe(
        'native: the server supports tool calls; text: it does not, and tools are described in the prompt.',
      ),
    strict: strict('on vLLM and SGLang, recognised by their list of models.'),
    accountHeaders: accountHeaders(['openai-organization', 'openai-project']),
    toolText: openaiToolText.optional().describe('With tools "text": the format in the prompt.'),
    ...shared,
  })
  .refine(({ tools, toolText }) => toolText === undefined || tools === 'text', {
    path: ['toolText'],
    error: 'has no effect without "tools": "text"',
  })
  .refine(({ api, tools }) => api !== 'responses' || tools === 'native', {
    path: ['api'],
    error: 'must not be "responses" with "tools": "text": such models have Chat Completions only',
  })
  .refine(({ strict, tools }) => strict !== 'on' || tools === 'native', {
    path: ['strict'],
    error: 'has no effect with "tools": "text"',
  })
  .refine(
    ({ authHeader, apiKey, accounts }) =>
      authHeader === undefined || apiKey !== undefined || accounts !== undefined,
    { path: ['authHeader'], error: 'has no effect without "apiKey"' },
  )
  .refine(...oneCredential)

const gemini = z
  .strictObject({
    kind: z.literal('gemini'),
    baseUrl: baseUrl
      .refine(
        (value) => !/\/v1(?:beta)?\/*$/.test(value),
        'must not end in a version: /v1beta/models is appended',
      )
      .default('https://generativelanguage.googleapis.com')
      .describe('/v1beta/models/MODEL is appended.'),
    apiKey: headerText
      .optional()
      .describe('Sent as x-goog-api-key, never in an address. Required without "accounts".'),
    accounts: keyAccounts,
    pool: poolSchema('auto'),
    ...shared,
  })
  .refine(...someCredential)
  .refine(...oneCredential)

/** Unofficial: docs/qwen-web.md. */
const qwenWeb = z.strictObject({
  kind: z.literal('qwen-web'),
  baseUrl: baseUrl.default('https://chat.qwen.ai').describe('API paths are appended.'),
  token: headerValue.describe('The token of your own login on the web page.'),
  cookie: headerText.optional().describe("Your own browser's cookies for that page, as one cookie header."),
  userAgent: headerText.optional().describe("Sent as user-agent; cookies may be bound to your browser's."),
  version: headerValue.default('0.2.81').describe('Sent as the header version, which the service requires.'),
  thinking: z
    .enum(['auto', 'on', 'off'])
    .default('auto')
    .describe("auto: as the request says (reasoning_effort), else the service's default."),
  deleteChats: z
    .boolean()
    .default(false)
    .describe('Delete a chat from the account once its conversation is over.'),
  toolText: qwenToolText.prefault({}).describe('The format of tools in the prompt.'),
  ...shared,
})

const cursor = z
  .strictObject({
    kind: z.literal('cursor'),
    baseUrl: baseUrl.default('https://api2.cursor.sh').describe('RPC paths are appended.'),
    transport: z
      .enum(['auto', 'http2', 'sse'])
      .default('auto')
      .describe(
        'auto: HTTP/2, or HTTP/1.1 if the service asks for it or HTTP/2 is unavailable; sse: HTTP/1.1.',
      ),
    apiKey: headerText.optional().describe('Instead of `dragoman login cursor`: a key of the dashboard.'),
    accessToken: headerText
      .optional()
      .describe('Instead of login and key: an access token, used until it expires.'),
    accounts: cursorAccounts,
    pool: poolSchema('never'),
    clientType: headerValue.default('sdk').describe('Sent as x-cursor-client-type.'),
    clientVersion: headerValue
      .default('sdk-1.0.32')
      .describe('Sent as x-cursor-client-version; the service refuses old versions.'),
    checksum: z
      .enum(['off', 'machine', 'token'])
      .default('off')
      .describe('Sends x-cursor-checksum, derived from this machine or from the token. No known need.'),
    privacy: z.boolean().default(true).describe('Sent as x-ghost-mode.'),
    websiteUrl: url
      .default('https://cursor.com')
      .describe('The site that `dragoman login cursor` opens in the browser.'),
    toolSchemas: z
      .enum(['value', 'both'])
      .default('value')
      .describe(
        'How tool schemas are sent. both: also as their original text, which keeps large numbers exact.',
      ),
    nativeTools: z
      .enum(['hide', 'redirect'])
      .default('hide')
      .describe(
        "Cursor's own tools. hide: models see only the client's tools; redirect: models see both, and calls to Cursor's tools run as calls to the client's.",
      ),
    history: z
      .enum(['structured', 'text'])
      .default('structured')
      .describe('How a new run receives earlier messages; text: all in one message.'),
    toolsInContext: z
      .boolean()
      .default(true)
      .describe('List tools twice, as the official client does; false: only in the request.'),
    workspace: z
      .string()
      .min(1)
      .optional()
      .describe("The client's folder, if neither its header nor its prompt names one."),
    ...connection,
  })
  .refine(...oneCredential)

export const backendSchema = z.discriminatedUnion('kind', [anthropic, cursor, gemini, openai, qwenWeb], {
  error: 'must be "anthropic", "cursor", "gemini", "openai" or "qwen-web"',
})
