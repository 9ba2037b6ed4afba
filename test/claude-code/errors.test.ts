// Errors at Claude Code's door, with services behind that are not Anthropic's: statuses that its retries know, and words on which its
// session heals.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultRetryPolicy } from '../../src/core/attempts.ts'
import { type Body, startGateway } from '../harness.ts'
import { type Answer, type Other, others, send, toldTo, useContractBench } from './bench.ts'
import * as cc from './requests.ts'

const bench = useContractBench()

describe('limits of the service', () => {
  const refuse = async (model: string, message: string, code: string | null = null) => {
    bench.openai.play([
      { status: 400, body: { error: { message, type: 'invalid_request_error', param: null, code } } },
    ])
    return send(bench, cc.turn(model))
  }

  describe.each([others.openai, others.responses])('%s', (model) => {
    it.each([
      [
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
        'prompt is too long: 140000 tokens > 128000 maximum',
      ],
      [
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (7000 in the messages, 2000 in the completion).",
        'input length and `max_tokens` exceed context limit: 7000 + 2000 > 8192',
      ],
      [
        "This model's maximum context length is 8192 tokens. However, you requested 9900 tokens (8900 in the messages, 1000 in the completion).",
        'prompt is too long: 9900 tokens > 8192 maximum',
      ],
      [
        'gpt-4.1-2025-04-14: maximum context length is 128000 tokens, you sent 140000 tokens. Request id: 20261118033700, at 1794972947000, req-998877665',
        'prompt is too long: 140000 tokens > 128000 maximum',
      ],
      ['Your input exceeds the context window of this model.', 'prompt is too long: '],
      [
        'prompt token count of 70,000 exceeds the limit of 64,000',
        'prompt is too long: 70000 tokens > 64000 maximum',
      ],
    ])('too long: %s', async (message, words) => {
      const { status, json } = await refuse(model, message, 'context_length_exceeded')
      expect([status, json.error.type]).toEqual([400, 'invalid_request_error'])
      expect(json.error.message.startsWith(words)).toBe(true)
      expect(json.error.message).toContain(message)
    })

    it.each([
      'Invalid content type. image_url is only supported by certain models.',
      'No endpoints found that support image input',
      'the model is not a multimodal model',
      'Failed to deserialize: unknown variant `image_url`, expected `text`',
      'image input is not supported - hint: you may need to provide the mmproj',
      'At most 0 image(s) may be provided in one prompt.',
    ])('images: %s', async (message) => {
      const { status, json } = await refuse(model, message)
      expect(status).toBe(400)
      expect(json.error.message).toMatch(/^Could not process image: /)
      expect(json.error.message).toContain(message)
    })

    it('other refusals keep their words', async () => {
      const { json } = await refuse(model, 'no such tool')
      expect(json.error.message).toMatch(/^\w+: no such tool$/)
    })
  })
})

describe('limits of services with errors of another form', () => {
  const picture = cc.user([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: cc.png } },
    cc.text('what is it?'),
  ])
  const openAIError = (message: string, code: string | null) => ({
    status: 400,
    body: { error: { message, type: 'invalid_request_error', param: null, code } },
  })
  const geminiError = (message: string) => ({
    status: 400,
    body: { error: { code: 400, status: 'INVALID_ARGUMENT', message } },
  })
  const overflow = 'The input token count (140000) exceeds the maximum number of tokens allowed (128000).'
  const tooLong = {
    error: { code: 'resource_exhausted', message: 'Error', details: { error: 43, title: 'Too long' } },
  }
  const noPicture = { error: { code: 'invalid_argument', message: 'image input is not supported' } }
  const tooMuch = {
    status: 400,
    body: { success: false, data: { code: 'Bad_Request', details: 'The content is too long' } },
  }
  const noImages = 'image input is not supported'

  it.each<[Other, () => void]>([
    ['cursor', () => bench.cursor.play([tooLong], [tooLong])],
    [
      'text',
      () => bench.text.play([openAIError('maximum context length is 9 tokens', 'context_length_exceeded')]),
    ],
    ['gemini', () => bench.gemini.play([geminiError(overflow)])],
    ['qwen', () => bench.qwen.play([tooMuch])],
  ])('%s: too long', async (other, play) => {
    play()
    const { status, json } = await send(bench, cc.turn(others[other]))
    expect([status, json.error.type]).toEqual([400, 'invalid_request_error'])
    expect(json.error.message).toMatch(/^prompt is too long: /)
  })

  it.each<[Other, () => void]>([
    ['cursor', () => bench.cursor.play([noPicture], [noPicture])],
    ['text', () => bench.text.play([openAIError(noImages, null)])],
    ['gemini', () => bench.gemini.play([geminiError(noImages)])],
  ])('%s: an image that it does not take', async (other, play) => {
    play()
    const { status, json } = await send(bench, cc.turn(others[other], { messages: [picture] }))
    expect([status, json.error.message]).toEqual([400, expect.stringMatching(/^Could not process image: /)])
  })

  it('the web chat takes none: the gateway refuses in the words of the service', async () => {
    const pdf = {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' },
    }
    for (const [message, words] of [
      [picture, 'Could not process image: '],
      [cc.user([pdf, cc.text('what is it?')]), 'This model does not support PDF input: '],
    ] as const) {
      const { status, json } = await send(bench, cc.turn(others.qwen, { messages: [message] }))
      expect([status, json.error.message.slice(0, words.length)]).toEqual([400, words])
    }
    expect(toldTo(bench, 'qwen')).toBe('')
  })
})

/** biome-ignore format: a table */
const doors: [string, string, (model: string) => Body, number][] = [
  ['Messages', '/v1/messages?beta=true', (model) => cc.turn(model), 529],
  ['Chat', '/v1/chat/completions', (model) => ({ model, messages: [cc.user('x')], stream: true }), 503],
  ['Responses', '/v1/responses', (model) => ({ model, input: 'x', stream: true }), 503],
]

describe('a backend that is down', () => {
  let gateway: Awaited<ReturnType<typeof startGateway>>
  beforeAll(async () => {
    const baseUrl = 'http://127.0.0.1:9'
    const backends = {
      anthropic: { kind: 'anthropic', baseUrl, apiKey: 'x' },
      openai: { kind: 'openai', baseUrl, apiKey: 'x' },
      cursor: { kind: 'cursor', baseUrl, apiKey: 'crsr_x' },
    }
    gateway = await startGateway({ backends }, { breaker: { failures: 2, openMs: 20_000 } })
  })
  afterAll(() => gateway.gateway.close())

  describe.each(doors)('at %s', (_, path, body, status) => {
    it.each(['anthropic/claude-opus-5-5', 'openai/x', 'cursor/x'])(
      '%s is worth a retry soon',
      async (model) => {
        const answers: Answer[] = []
        const session = { 'x-claude-code-session-id': model.replace('/', '-') }
        const headers = path.startsWith('/v1/messages') ? session : { 'user-agent': 'curl/8' }
        for (let at = 0; at < 3; at++)
          answers.push(
            await send(gateway, body(`${model}${path.replaceAll('/', '-')}`), { path, more: headers }),
          )
        expect(answers.map((answer) => answer.status)).toEqual([status, status, status])
        const waits = answers.map(({ header }) => Number(header('retry-after')))
        expect(waits.slice(0, 2)).toEqual([2, 2])
        // The breaker is open: it says for how long.
        expect(waits[2]).toBeGreaterThan(2)
        for (const { header } of answers) expect(header('x-should-retry')).toBeNull()
        if (status === 529) expect(answers[2]?.json.error.type).toBe('overloaded_error')
        expect(answers[0]?.said).toMatch(/could not be reached|cannot be reached/)
      },
    )
  })
})

describe('a backend that stays down', () => {
  const clock = { ms: Date.now() }
  let gateway: Awaited<ReturnType<typeof startGateway>>
  /** Its streams begin before the backend fails. */
  let quick: typeof gateway
  beforeAll(async () => {
    const backends = { openai: { kind: 'openai', baseUrl: 'http://127.0.0.1:9', apiKey: 'x' } }
    gateway = await startGateway({ backends }, { breaker: { now: () => clock.ms } })
    const retryPolicy = { ...defaultRetryPolicy, retries: 1, baseDelayMs: 300 }
    const options = { breaker: { now: () => clock.ms }, keepAliveMs: 5, retryPolicy }
    quick = await startGateway({ backends }, options)
  })
  afterAll(async () => {
    await gateway.gateway.close()
    await quick.gateway.close()
  })

  const retries = async (more: Record<string, string>) => {
    const answers: Answer[] = []
    for (const seconds of [0, 3, 3, 4, 5]) {
      clock.ms += seconds * 1000
      answers.push(await send(gateway, cc.turn('openai/x'), { more }))
    }
    return answers
  }

  it('a headless session is told so at its fifth request', async () => {
    const answers = await retries({ 'x-claude-code-session-id': 'headless' })
    expect(answers.map(({ status }) => status)).toEqual([529, 529, 529, 529, 529])
    expect(answers.map(({ header }) => header('x-should-retry'))).toEqual([null, null, null, null, 'false'])
    expect(answers[4]?.header('retry-after')).toBeNull()
    expect(answers[4]?.json.error.message).toMatch(/could not be reached.* It has been so for 15 s\.$/)
  })

  it('failures inside its streams count', async () => {
    const more = { 'x-claude-code-session-id': 'in-stream' }
    for (let times = 0; times < 3; times++) {
      const { status, said } = await send(quick, cc.turn('openai/x'), { more })
      expect([status, said.includes('event: error')]).toEqual([200, true])
      clock.ms += 31_000
    }
    const answer = await send(quick, { ...cc.turn('openai/x'), stream: false }, { more })
    expect([answer.status, answer.header('x-should-retry')]).toEqual([529, 'false'])
  })

  it('on a terminal the user sees the retries, and they go on', async () => {
    const answers = await retries({
      'user-agent': 'claude-cli/2.1.325 (external, cli)',
      'x-claude-code-session-id': 'terminal',
    })
    expect(answers.map(({ header }) => header('x-should-retry'))).toEqual([null, null, null, null, null])
  })
})

describe('errors that no retry can mend', () => {
  it.each([
    ['an unknown model', (): Body => cc.turn('nowhere/x'), 404],
    ['a malformed body', (): Body => ({ model: others.openai, messages: 7 }), 400],
  ])('%s is not asked again', async (_, body, status) => {
    const answer = await send(bench, body())
    expect([answer.status, answer.header('x-should-retry')]).toEqual([status, 'false'])
  })

  it('a refused credential of the gateway', async () => {
    const refusal = { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }
    bench.anthropic.play([{ status: 401, body: refusal }])
    const answer = await send(bench, cc.turn('anthropic/claude-opus-5-5'))
    expect([answer.status, answer.header('x-should-retry')]).toEqual([502, 'false'])
  })
})
