// Every kind of secret as a canary, and every way it could leak.

import type { Step } from '../../../sim/script.ts'
import { callDelta, chunk, done, messageStart } from '../../wire-cases/frames.ts'

export const canaries = {
  gateway: 'gw-canary-aaaaaaaaaaaaaaaa-0001',
  otherKey: 'gw-canary-bbbbbbbbbbbbbbbb-0002',
  openai: 'sk-canary-cccccccccccccccc-0003',
  environment: 'env-canary-dddddddddddddddd-0004',
  header: 'hdr-canary-eeeeeeeeeeeeeeee-0005',
  proxy: 'proxy-canary-ffffffffffffffff-0006',
  cursor: 'crsr_canary_gggggggggggggggg_0007',
  qwen: 'qwen-canary-hhhhhhhhhhhhhhhh-0008',
  cookie: 'cookie-canary-iiiiiiiiiiiiiiii-0009',
  redis: 'redis-canary-jjjjjjjjjjjjjjjj-0010',
  peers: 'peer-canary-kkkkkkkkkkkkkkkkkkkkkkkkkkkk-0011',
  accessToken: 'access-canary-llllllllllllllll-0012',
  gemini: 'AIza-canary-mmmmmmmmmmmmmmmm-0015',
  awsSecret: 'aws/canary+nnnnnnnnnnnnnnnn/0016',
  awsSession: 'session-canary-oooooooooooooooo-0017',
  bedrock: 'ABSK-canary-pppppppppppppppp-0018',
  vertex: 'ya29.canary-qqqqqqqqqqqqqqqq-0019',
} as const

/** Odd enough to look different inside of JSON, and in a URL. */
export const oddCanary = 'odd-canary-"with\\slashes & blanks"-0013'
/** Percent-encoded and decoded. */
export const urlCanaries = ['pass%2Fword-canary%40-0014', 'pass/word-canary@-0014'] as const

export const allCanaries: readonly string[] = [...Object.values(canaries), oddCanary, ...urlCanaries]
export const echo = allCanaries.join(' | ')

interface Places {
  openai: { url: string }
  anthropic: { url: string }
  cursor: { url: string }
  qwen: { url: string }
  gemini: { url: string }
  bedrock: { url: string }
  vertex: { url: string }
  /** Where nothing listens. */
  port: number
}

/** Claude on clouds: signed, with a key, and with a token. */
const cloudsOf = ({ bedrock, vertex }: Pick<Places, 'bedrock' | 'vertex'>) => {
  const aws = { kind: 'anthropic', provider: 'bedrock', region: 'us-east-1', baseUrl: bedrock.url }
  const models = ['claude-demo']
  return {
    bedrock: { ...aws, ...awsKeys },
    bearer: { ...aws, apiKey: canaries.bedrock, models },
    vertex: {
      ...{ kind: 'anthropic', provider: 'vertex', region: 'us-east5', project: 'my-project', models },
      ...{ baseUrl: vertex.url, accessToken: canaries.vertex },
    },
  }
}

export const awsKeys = {
  accessKeyId: 'AKIATESTTESTTEST',
  secretAccessKey: canaries.awsSecret,
  sessionToken: canaries.awsSession,
}

export const settingsOf = ({ openai, anthropic, cursor, qwen, gemini, port, ...clouds }: Places) => ({
  listen: { port: 0 },
  log: { level: 'debug' },
  ollama: { enabled: true },
  auth: {
    keys: [
      { name: 'laptop', key: canaries.gateway },
      { name: 'desk', key: canaries.otherKey },
    ],
  },
  sessions: { redis: `redis://user:${canaries.redis}@127.0.0.1:${port}`, peerSecret: canaries.peers },
  backends: {
    openai: {
      kind: 'openai',
      baseUrl: `${openai.url}/v1`,
      apiKey: canaries.openai,
      headers: { 'x-tenant-auth': canaries.header, 'x-second-key': oddCanary },
    },
    anthropic: {
      kind: 'anthropic',
      baseUrl: anthropic.url,
      apiKey: '{env:CANARY}',
      headers: { 'x-trace': 'id {env:CANARY}' },
    },
    cursor: { kind: 'cursor', baseUrl: cursor.url, apiKey: canaries.cursor },
    token: { kind: 'cursor', baseUrl: cursor.url, accessToken: canaries.accessToken },
    gemini: { kind: 'gemini', baseUrl: gemini.url, apiKey: canaries.gemini },
    ...cloudsOf(clouds),
    qwen: {
      kind: 'qwen-web',
      baseUrl: qwen.url,
      token: canaries.qwen,
      cookie: `token=${canaries.cookie}; theme=dark`,
    },
    dead: {
      kind: 'openai',
      baseUrl: `http://127.0.0.1:${port}`,
      apiKey: canaries.openai,
      connect: { proxy: `http://user:${canaries.proxy}@127.0.0.1:${port}` },
    },
    odd: {
      kind: 'cursor',
      baseUrl: `http://127.0.0.1:${port}`,
      accessToken: canaries.accessToken,
      connect: { proxy: `http://user:${urlCanaries[0]}@127.0.0.1:${port}` },
    },
  },
  models: { fallen: ['dead/x', 'openai/gpt-demo'] },
})

const error = (fields: Record<string, unknown>) => ({ error: { message: 'no', type: 'x', ...fields } })
const statuses = [400, 401, 403, 404, 408, 413, 429, 500, 503, 529] as const

type Backend = 'openai' | 'anthropic' | 'gemini' | 'bedrock' | 'vertex' | 'qwen' | 'none'

/** How an upstream leaks secrets, to whom, and the model that requests it. */
export const leaks: readonly { name: string; to: Backend; model: string; steps: readonly Step[] }[] = [
  { name: 'success', to: 'openai', model: 'openai/gpt-demo', steps: [{ say: 'x' }] },
  { name: 'success', to: 'anthropic', model: 'anthropic/claude-demo', steps: [{ say: 'x' }] },
  { name: 'success', to: 'gemini', model: 'gemini/gemini-3.8-flash', steps: [{ say: 'x' }] },
  { name: 'success', to: 'bedrock', model: 'bedrock/claude-demo', steps: [{ say: 'x' }] },
  { name: 'success', to: 'bedrock', model: 'bearer/claude-demo', steps: [{ say: 'x' }] },
  { name: 'success', to: 'vertex', model: 'vertex/claude-demo', steps: [{ say: 'x' }] },
  { name: 'success', to: 'qwen', model: 'qwen/qwen3-max', steps: [{ say: 'x' }] },
  { name: 'a fallback', to: 'openai', model: 'fallen', steps: [{ say: 'x' }] },
  { name: 'no connection', to: 'none', model: 'dead/x', steps: [] },
  { name: 'no connection', to: 'none', model: 'odd/composer-2', steps: [] },
  { name: 'an unknown model', to: 'none', model: 'nothing', steps: [] },
  { name: 'a model named so', to: 'none', model: canaries.otherKey, steps: [] },
  ...statuses.flatMap((status) => [
    {
      name: `${status} that repeats them`,
      to: 'openai' as const,
      model: 'openai/gpt-demo',
      steps: [{ status, body: error({ message: `Incorrect API key: ${echo}` }) }],
    },
    {
      name: `${status} that repeats them`,
      to: 'anthropic' as const,
      model: 'anthropic/claude-demo',
      steps: [{ status, body: { type: 'error', ...error({ message: `invalid x-api-key ${echo}` }) } }],
    },
    {
      name: `${status} that repeats them`,
      to: 'gemini' as const,
      model: 'gemini/gemini-3.8-flash',
      steps: [
        { status, body: error({ message: `API key not valid: ${echo}`, status: 'ABORTED', code: status }) },
      ],
    },
    {
      name: `${status} that repeats them`,
      to: 'bedrock' as const,
      model: status < 429 ? 'bedrock/claude-demo' : 'bearer/claude-demo',
      steps: [
        {
          status,
          headers: {
            'x-amzn-errortype': status === 403 ? 'InvalidSignatureException' : 'ValidationException',
          },
          body: { message: `The canonical string should have been ${echo}` },
        },
      ],
    },
    {
      name: `${status} that repeats them`,
      to: 'vertex' as const,
      model: 'vertex/claude-demo',
      steps: [
        {
          status,
          body: [error({ message: `invalid credentials: ${echo}`, status: 'ABORTED', code: status })],
        },
      ],
    },
    {
      name: `${status} that repeats them`,
      to: 'qwen' as const,
      model: 'qwen/qwen3-max',
      steps: [{ status, body: { success: false, data: { code: 'x', details: echo } } }],
    },
    {
      name: `${status} in HTML`,
      to: 'openai' as const,
      model: 'openai/gpt-demo',
      steps: [{ status, body: `<html>${echo}</html>` }],
    },
  ]),
  {
    name: 'an error with them in every field',
    to: 'openai',
    model: 'openai/gpt-demo',
    steps: [{ status: 400, body: error({ param: echo, code: echo, type: echo }) }],
  },
  {
    name: 'an error of text',
    to: 'openai',
    model: 'openai/gpt-demo',
    steps: [{ status: 400, body: { error: echo } }],
  },
  {
    name: 'details',
    to: 'openai',
    model: 'openai/gpt-demo',
    steps: [{ status: 422, body: { detail: echo } }],
  },
  {
    name: 'them in a URL',
    to: 'openai',
    model: 'openai/gpt-demo',
    steps: [{ status: 400, body: error({ message: `GET /?key=${encodeURIComponent(oddCanary)}` }) }],
  },
  {
    name: 'them in JSON inside of JSON',
    to: 'openai',
    model: 'openai/gpt-demo',
    steps: [
      {
        status: 400,
        body: error({ message: JSON.stringify({ headers: JSON.stringify({ key: oddCanary }) }) }),
      },
    ],
  },
  {
    name: 'a redirect',
    to: 'openai',
    model: 'openai/gpt-demo',
    steps: [{ status: 302, headers: { location: `https://x/?key=${canaries.header}` }, body: echo }],
  },
  {
    name: 'HTML with 200',
    to: 'anthropic',
    model: 'anthropic/claude-demo',
    steps: [{ status: 200, body: `<html>${echo}</html>` }],
  },
  {
    name: 'an error in the stream',
    to: 'openai',
    model: 'openai/gpt-demo',
    steps: [
      chunk({ role: 'assistant', content: 'x' }),
      { wait: 5 },
      { frame: error({ message: echo, param: echo }) },
    ],
  },
  {
    name: 'an error in the stream',
    to: 'anthropic',
    model: 'anthropic/claude-demo',
    steps: [messageStart, { frame: { type: 'error', ...error({ message: echo }) }, event: 'error' }],
  },
  {
    name: 'an exception in the stream',
    to: 'bedrock',
    model: 'bedrock/claude-demo',
    steps: [messageStart, { frame: { type: 'error', ...error({ message: echo }) }, event: 'error' }],
  },
  {
    name: 'bytes that are no frame',
    to: 'bedrock',
    model: 'bedrock/claude-demo',
    steps: [{ raw: echo }],
  },
  {
    name: 'an error in the stream',
    to: 'vertex',
    model: 'vertex/claude-demo',
    steps: [messageStart, { frame: { type: 'error', ...error({ message: echo }) }, event: 'error' }],
  },
  {
    name: 'an error in the stream',
    to: 'gemini',
    model: 'gemini/gemini-3.8-flash',
    steps: [{ say: 'x' }, { wait: 5 }, { frame: { error: { message: echo, status: 'INTERNAL' } } }],
  },
  {
    name: 'a call that the service could not read',
    to: 'gemini',
    model: 'gemini/gemini-3.8-flash',
    steps: [{ frame: { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: echo }] } }],
  },
  {
    name: 'an event that is no JSON',
    to: 'openai',
    model: 'openai/gpt-demo',
    steps: [{ raw: `data: ${echo}\n\n` }],
  },
  {
    name: 'malformed arguments',
    to: 'openai',
    model: 'openai/gpt-demo',
    steps: [
      callDelta({ index: 0, id: 'c', type: 'function', function: { name: 'read', arguments: echo } }),
      chunk({}, 'tool_calls'),
      done,
    ],
  },
  {
    name: 'a tool named so',
    to: 'openai',
    model: 'openai/gpt-demo',
    steps: [
      callDelta({ index: 0, id: 'c', type: 'function', function: { name: echo, arguments: '{' } }),
      chunk({}, 'tool_calls'),
      done,
    ],
  },
  {
    name: 'one at the place where an excerpt is cut',
    to: 'openai',
    model: 'openai/gpt-demo',
    steps: [{ status: 500, body: 'x'.repeat(480) + canaries.header }],
  },
  {
    name: 'one at the place where a log line is cut',
    to: 'openai',
    model: 'openai/gpt-demo',
    steps: [{ raw: `data: ${'x'.repeat(985)}${canaries.header}\n\n` }],
  },
]

const box = { kind: 'openai', baseUrl: 'http://127.0.0.1:1' }
const spoilt = 'canary'

/** Configurations with an invalid secret: the message must not repeat it. */
export const wrongSettings: readonly { name: string; settings: Record<string, unknown> }[] = [
  { name: 'a key that is a list', settings: { backends: { box: { ...box, apiKey: [spoilt] } } } },
  { name: 'a key in two lines', settings: { backends: { box: { ...box, apiKey: `${spoilt}\n` } } } },
  { name: 'a key of a kind without one', settings: { backends: { box: { kind: 'qwen-web', apiKey: spoilt, token: 'x' } } } },
  { name: 'a token with a blank', settings: { backends: { box: { kind: 'qwen-web', token: `a ${spoilt}` } } } },
  { name: 'a cookie in two lines', settings: { backends: { box: { kind: 'qwen-web', token: 'x', cookie: `a\n${spoilt}` } } } },
  { name: 'a header in two lines', settings: { backends: { box: { ...box, headers: { 'x-key': `a\n${spoilt}` } } } } },
  { name: 'a header that is a list', settings: { backends: { box: { ...box, headers: { 'x-key': [spoilt] } } } } },
  { name: 'a password in the base URL', settings: { backends: { box: { ...box, baseUrl: `http://u:${spoilt}@h/` } } } },
  { name: 'a proxy that is none', settings: { backends: { box: { ...box, connect: { proxy: `u:${spoilt}@h:1` } } } } },
  { name: 'a proxy at a metadata address', settings: { backends: { box: { ...box, connect: { proxy: `http://u:${spoilt}@169.254.169.254` } } } } },
  { name: 'a secret access key alone', settings: { backends: { box: { kind: 'anthropic', provider: 'bedrock', region: 'us-east-1', secretAccessKey: spoilt } } } },
  { name: 'an access key with a blank', settings: { backends: { box: { kind: 'anthropic', provider: 'bedrock', region: 'us-east-1', accessKeyId: 'a', secretAccessKey: `a ${spoilt}` } } } },
  { name: 'a token in two lines', settings: { backends: { box: { kind: 'anthropic', provider: 'vertex', region: 'global', project: 'p1', models: ['claude-x'], accessToken: `a\n${spoilt}` } } } },
  { name: 'accounts of a cloud', settings: { backends: { box: { kind: 'anthropic', provider: 'bedrock', region: 'us-east-1', accounts: [{ name: 'a', apiKey: spoilt }] } } } },
  { name: 'an account whose key is a list', settings: { backends: { box: { ...box, accounts: [{ name: 'a', apiKey: [spoilt] }] } } } },
  { name: 'auth that is a text', settings: { backends: { box }, auth: spoilt } },
  { name: 'keys that are texts', settings: { backends: { box }, auth: { keys: [spoilt] } } },
  { name: 'a key that is too short', settings: { backends: { box }, auth: { keys: [{ name: 'a', key: spoilt }] } } },
  { name: 'a key without a name', settings: { backends: { box }, auth: { keys: [{ key: `${spoilt}-long-enough` }] } } },
  { name: 'a Redis that is none', settings: { backends: { box }, sessions: { redis: `http://u:${spoilt}@h` } } },
  { name: 'a Redis with a query', settings: { backends: { box }, sessions: { redis: `redis://u:${spoilt}@h?a=b` } } },
  { name: 'a secret that is too short', settings: { backends: { box }, sessions: { peerSecret: spoilt } } },
  { name: 'a variable for a number', settings: { backends: { box }, listen: { port: '{env:CANARY}' } } },
  { name: 'a variable for a word', settings: { backends: { box }, log: { level: '{env:CANARY}' } } },
  { name: 'a variable for a kind', settings: { backends: { box: { kind: '{env:CANARY}' } } } },
  { name: 'a variable for a target', settings: { backends: { box }, models: { a: '{env:CANARY}' } } },
] // biome-ignore format: a table, one setting a line
