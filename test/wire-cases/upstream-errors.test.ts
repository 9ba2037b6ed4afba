// T70: what a service says when it refuses, in every shape that services have for it. docs/wire-cases.md explains it.

import { describe, expect, it } from 'vitest'
import { spread } from '../depth.ts'
import { type Body, useBench, user } from '../harness.ts'
import { done } from './frames.ts'

const bench = useBench()

interface Refusal {
  status: number
  body: unknown
  headers?: Record<string, string>
}

const page = (body: string): Partial<Refusal> => ({ headers: { 'content-type': 'text/html' }, body })

const models = {
  openai: 'openai/gpt-demo',
  anthropic: 'anthropic/claude-demo',
  gemini: 'gemini/gemini-3.8-flash',
}
const backends = ['openai', 'anthropic', 'gemini'] as const

async function ask(
  backend: keyof typeof models,
  door: string,
  body: Body,
): Promise<{ status: number; text: string }> {
  const answer = await fetch(bench.url + door.replace('MODEL', models[backend]), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: models[backend], ...body }),
  })
  return { status: answer.status, text: await answer.text() }
}

const geminiPath = '/v1beta/models/MODEL:generateContent'
const ollamaPath = '/api/chat'

const doors: [string, string, Body][] = [
  ['Chat', '/v1/chat/completions', { messages: [user('go')] }],
  ['Responses', '/v1/responses', { input: 'go' }],
  ['Messages', '/v1/messages', { max_tokens: 100, messages: [user('go')] }],
  ['Gemini', geminiPath, { contents: [{ role: 'user', parts: [{ text: 'go' }] }] }],
  ['Ollama', ollamaPath, { messages: [user('go')] }],
]
const forms = doors.flatMap(([name, path, body]) =>
  [true, false].map((stream) => ({
    name: `${name}, ${stream ? 'streamed' : 'whole'}`,
    path: path === geminiPath && stream ? path.replace('generate', 'streamGenerate') : path,
    body: path === geminiPath ? body : { ...body, stream },
  })),
)
/** Their errors have no code for a conversation that is too long. */
const codedForms = forms.filter(({ path }) => path.startsWith('/v1/'))
const wordOf = (text: string): string => JSON.parse(text).error.message ?? JSON.parse(text).error

/** The service, its error as sent, and the text that must reach the client. */
const shapes: [string, Refusal, string][] = [
  ['OpenAI', { status: 400, body: { error: { message: 'no such tool', type: 'x', param: null, code: null } } }, 'no such tool'],
  ['Gemini: an array', { status: 400, body: [{ error: { code: 400, message: 'Unknown name "x"', status: 'INVALID_ARGUMENT' } }] }, 'Unknown name "x"'],
  ['Cerebras: flat', { status: 400, body: { message: 'property is unsupported', type: 'invalid_request_error', param: 'x', code: 'wrong_api_format' } }, 'property is unsupported'],
  ['Mistral: flat, the message an object', { status: 422, body: { object: 'error', message: { detail: [{ loc: ['body', 'x'], msg: 'no' }] } } }, 'body.x: no'],
  ['LM Studio: a text', { status: 400, body: { error: 'model crashed' } }, 'model crashed'],
  ['xAI: a text and a code', { status: 400, body: { code: 'Client specified an invalid argument', error: 'bad root' } }, 'bad root'],
  ['nested twice', { status: 400, body: { error: { error: { message: 'deep' } } } }, 'deep'],
  ['a list in an error', { status: 400, body: { error: [{ message: 'first' }, { message: 'second' }] } }, 'first; second'],
  ['plain text', { status: 503, body: 'upstream connect error or disconnect/reset before headers', headers: { 'content-type': 'text/plain' } }, 'upstream connect error or disconnect/reset before headers'],
  ['a page', { status: 502, ...page('<!DOCTYPE html><html><head><style>b{}</style><title>502 Bad&nbsp;Gateway</title></head><body><h1>Oops</h1></body></html>') } as Refusal, '502 Bad Gateway'],
  ['a page without a title', { status: 451, ...page('<html><body><script>alert(1)</script><h1>Access &amp; such denied</h1>by policy</body></html>') } as Refusal, 'Access & such denied by policy'],
] // biome-ignore format: a table to be read as one

/** None of these bodies is in the dialect's own form. Messages has a status of its own for overload. */
const shownStatus = (status: number, path: string) =>
  status === 422 || status === 451 ? 400 : status === 503 && path === '/v1/messages' ? 529 : status

describe.each(spread(forms, 1))('T70: at $name', ({ path, body }) => {
  describe.each(backends)('from %s', (backend) => {
    it.each(shapes)('%s: the words of the service reach the client', async (_whose, refusal, words) => {
      bench[backend].play([refusal])
      const { status, text } = await ask(backend, path, body)
      expect(status).toBe(shownStatus(refusal.status, path))
      expect(wordOf(text)).toContain(words)
      expect(wordOf(text)).not.toMatch(/without an explanation|alert\(1\)|b\{\}/)
    })
  })
})

/** Each service's own words for a conversation that is too long, in its own shape. */
const overflows: [string, Refusal][] = [
  ['OpenAI', { status: 400, body: { error: { message: 'Your input exceeds the context window of this model. Please adjust your input and try again.', code: 'context_length_exceeded' } } }],
  ['OpenRouter', { status: 400, body: { error: { code: 400, message: "This endpoint's maximum context length is 1000 tokens. However, you requested about 2000 tokens" } } }],
  ['Groq', { status: 400, body: { error: { message: 'Please reduce the length of the messages or completion.', type: 'invalid_request_error' } } }],
  ['Cerebras', { status: 400, body: { message: 'Please reduce the length of the messages or completion. Current length is 9 while limit is 8', type: 'invalid_request_error', code: 'context_length_exceeded' } }],
  ['xAI', { status: 400, body: { code: 'Client specified an invalid argument', error: "This model's maximum prompt length is 131072 but the request contains 200000 tokens." } }],
  ['Mistral', { status: 400, body: { object: 'error', message: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length', type: 'invalid_request_error', code: 3051 } }],
  ['DeepSeek', { status: 400, body: { error: { message: "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens", type: 'invalid_request_error' } } }],
  ['Kimi', { status: 400, body: { error: { message: 'Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)', type: 'invalid_request_error' } } }],
  ['Z.ai', { status: 400, body: { error: { code: '1261', message: 'Prompt exceeds max length' } } }],
  ['Z.ai, by its number', { status: 400, body: { error: { code: '1261', message: '输入过长' } } }],
  ['DashScope', { status: 400, body: { error: { message: '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]', code: 'invalid_parameter_error' } } }],
  ['Gemini', { status: 400, body: [{ error: { code: 400, message: 'The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).', status: 'INVALID_ARGUMENT' } }] }],
  ['Together', { status: 422, body: { error: { message: '`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`' } } }],
  ['Fireworks', { status: 400, body: { error: 'The prompt is too long: 140000, model maximum context length: 131071' } }],
  ['MiniMax', { status: 400, body: { type: 'error', error: { type: 'bad_request_error', message: 'invalid params, context window exceeds limit (2013)' } } }],
  ['vLLM', { status: 400, body: { error: { message: "This model's maximum context length is 4096 tokens. However, you requested 100 output tokens and your prompt contains 5000 input tokens", type: 'BadRequestError', param: 'input_tokens', code: 400 } } }],
  ['SGLang', { status: 400, body: { object: 'error', message: "Requested token count exceeds the model's maximum context length of 4096 tokens.", type: 'BadRequest', param: null, code: 400 } }],
  ['llama.cpp', { status: 400, body: { error: { code: 400, message: 'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it', type: 'exceed_context_size_error' } } }],
  ['LM Studio', { status: 400, body: { error: 'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5000>= n_ctx: 4096).' } }],
  ['Copilot', { status: 400, body: { error: { message: 'prompt token count of 140000 exceeds the limit of 128000', code: 'model_max_prompt_tokens_exceeded' } } }],
  ['Anthropic', { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' } } }],
  ['Anthropic, with the answer', { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000' } } }],
  ['Bedrock', { status: 400, body: { message: 'Input is too long for requested model.' } }],
  ['a list whose code alone says it', { status: 400, body: [{ error: { message: 'no', code: 'context_length_exceeded' } }] }],
  ['a body that is too large for its tokens', { status: 413, body: { error: { message: 'The request exceeds the maximum context length' } } }],
] // biome-ignore format: a table to be read as one

/** Too many bytes, not too many tokens. */
const sizes: [string, Refusal][] = [
  ['Anthropic', { status: 413, body: { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum allowed number of bytes.' } } }],
  ['a proxy', { status: 413, body: { error: { message: 'The request exceeds the maximum size of 4194304 bytes' } } }],
] // biome-ignore format: a table to be read as one

/** Too much at once, not too long. */
const rates: [string, Refusal][] = [
  ['Groq: tokens a minute', { status: 413, body: { error: { message: 'Request too large for model `x` in organization `y` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.', type: 'tokens', code: 'rate_limit_exceeded' } } }],
  ['OpenAI: tokens a minute', { status: 429, body: { error: { message: 'Rate limit reached: the maximum context of tokens per min is used up', type: 'tokens', code: 'rate_limit_exceeded' } } }],
] // biome-ignore format: a table to be read as one

const codeOf = (path: string, text: string) => {
  const { type, code, message } = JSON.parse(text).error
  return path === '/v1/messages'
    ? /prompt is too long|exceed context limit/.test(message)
      ? 'context_length_exceeded'
      : type
    : (code ?? type)
}

describe.each(spread(codedForms, 1))('T70: at $name', ({ path, body }) => {
  it.each(overflows)('%s: a conversation that is too long is known as such', async (_whose, refusal) => {
    for (const backend of backends) {
      bench[backend].play([refusal])
      const { status, text } = await ask(backend, path, body)
      expect(status).toBe(400)
      expect(codeOf(path, text)).toBe('context_length_exceeded')
    }
  })

  it.each(sizes)('%s: a body that is too large is not a context overflow', async (_whose, refusal) => {
    for (const backend of backends) {
      bench[backend].play([refusal])
      const { status, text } = await ask(backend, path, body)
      expect([status, codeOf(path, text)]).toEqual([413, 'request_too_large'])
    }
  })

  it.each(rates)('%s: is a limit of rate', async (_whose, refusal) => {
    bench.openai.play([refusal])
    const { status, text } = await ask('openai', path, body)
    expect(status).toBe(429)
    expect(codeOf(path, text)).toMatch(/^rate_limit/)
  })
})

describe('T70: inside an answer', () => {
  const streamed = { messages: [user('go')], stream: true }

  it.each([
    ['a text', { error: 'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 2>= n_ctx: 1).' }, 400, 'context_length_exceeded'],
    ['a list', [{ error: { code: 429, message: 'Resource has been exhausted', status: 'RESOURCE_EXHAUSTED' } }], 429, 429],
    ['base_resp', { choices: null, base_resp: { status_code: 1004, status_msg: 'login fail: check your key' } }, 502, 'upstream_credential_refused'],
    ['base_resp, too long', { base_resp: { status_code: 2013, status_msg: 'invalid params, context window exceeds limit' } }, 400, 'context_length_exceeded'],
  ])('%s', async (_shape, frame, status, code) => {
    bench.openai.play([{ frame }, done])
    const answer = await ask('openai', '/v1/chat/completions', streamed)
    expect([answer.status, codeOf('', answer.text)]).toEqual([status, code])
    bench.openai.play([{ status: 200, headers: { 'content-type': 'application/json' }, body: frame }])
    const whole = await ask('openai', '/v1/chat/completions', { messages: [user('go')] })
    expect([whole.status, codeOf('', whole.text)]).toEqual([status, code])
  }) // biome-ignore format: a table to be read as one

  it('a good answer may say that all is well', async () => {
    const answer = { id: 'x', choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }], base_resp: { status_code: 0, status_msg: '' } } // biome-ignore format: one line
    bench.openai.play([{ status: 200, headers: { 'content-type': 'application/json' }, body: answer }])
    expect((await ask('openai', '/v1/chat/completions', { messages: [user('go')] })).status).toBe(200)
  })
})
