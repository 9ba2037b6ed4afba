// Headers of a dialect between a client and a service that both speak it: unknown ones pass, those of the tables do not.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import type { Sim } from '../../sim/server.ts'
import { type Body, startGateway, upstreamKey } from '../harness.ts'

const told: Record<string, string> = {}
const sims = {} as { anthropic: Sim; openai: Sim }
let url = ''
let close = () => Promise.resolve()

beforeAll(async () => {
  sims.anthropic = await startAnthropicSim({ apiKey: upstreamKey, answerHeaders: told })
  sims.openai = await startOpenAISim({ apiKey: upstreamKey, answerHeaders: told })
  const anthropic = { kind: 'anthropic', baseUrl: sims.anthropic.url, apiKey: upstreamKey }
  const openai = { kind: 'openai', baseUrl: `${sims.openai.url}/v1`, apiKey: upstreamKey }
  const started = await startGateway({
    backends: {
      anthropic,
      openai,
      workspace: { ...anthropic, accountHeaders: ['anthropic-workspace-id'] },
      project: { ...openai, accountHeaders: ['openai-project'] },
      fixed: {
        ...openai,
        accountHeaders: ['openai-project'],
        headers: { 'OpenAI-Project': 'proj_configured' },
      },
    },
  })
  url = started.url
  close = async () => {
    await started.gateway.close()
    await Promise.all([sims.anthropic.close(), sims.openai.close()])
  }
})
afterAll(() => close())
beforeEach(() => {
  for (const name of Object.keys(told)) delete told[name]
  sims.anthropic.clear()
  sims.openai.clear()
})

const hello = [{ role: 'user', content: 'hello' }]
const doors = {
  messages: { path: '/v1/messages', body: { max_tokens: 2048, messages: hello } },
  chat: { path: '/v1/chat/completions', body: { messages: hello } },
  responses: { path: '/v1/responses', body: { input: 'hello' } },
}
const models: Record<string, string> = {
  anthropic: 'claude-haiku-4-5',
  workspace: 'claude-haiku-4-5',
  openai: 'gpt-demo',
  project: 'gpt-demo',
  fixed: 'gpt-demo',
}

async function ask(
  door: keyof typeof doors,
  backend: string,
  headers: Record<string, string> = {},
  more: Body = {},
) {
  const { path, body } = doors[door]
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: `${backend}/${models[backend]}`, ...body, ...more }),
  })
  const text = await answer.text()
  const sim = models[backend]?.startsWith('claude') ? sims.anthropic : sims.openai
  return { status: answer.status, headers: answer.headers, text, sent: sim.requests.at(-1)?.headers ?? {} }
}

const own: Record<keyof typeof doors, 'anthropic' | 'openai'> = {
  messages: 'anthropic',
  chat: 'openai',
  responses: 'openai',
}

describe.each(['messages', 'chat', 'responses'] as const)('%s', (door) => {
  const form = own[door]
  const other = form === 'anthropic' ? 'openai' : 'anthropic'

  it("unknown headers of the dialect reach the service, the other dialect's do not", async () => {
    const { status, sent } = await ask(door, form, {
      [`${form}-of-tomorrow`]: 'a, b; c="d"',
      [`${other}-of-tomorrow`]: 'no',
      'x-of-tomorrow': 'no',
    })
    expect(status).toBe(200)
    expect(sent[`${form}-of-tomorrow`]).toBe('a, b; c="d"')
    expect([sent[`${other}-of-tomorrow`], sent['x-of-tomorrow']]).toEqual([undefined, undefined])
  })

  it('a service of the other dialect gets none', async () => {
    const { sent } = await ask(door, other, { [`${form}-of-tomorrow`]: 'no', [`${other}-of-tomorrow`]: 'no' })
    expect(sent[`${form}-of-tomorrow`]).toBeUndefined()
    expect(sent[`${other}-of-tomorrow`]).toBeUndefined()
  })

  it('what is withheld from the service', async () => {
    const canary = 'client-canary'
    const names = [
      'cookie',
      'proxy-authorization',
      'x-forwarded-for',
      'forwarded',
      'via',
      'session-id',
      'thread-id',
      'x-claude-code-session-id',
      'x-claude-code-agent-id',
      'x-claude-code-parent-agent-id',
      'x-claude-code-api-key',
      'anthropic-workspace-id',
      'anthropic-dangerous-direct-browser-access',
      'anthropic-api-key',
      'anthropic-auth-token',
      'anthropic-session-id',
      'openai-organization',
      'openai-project',
      'openai-api-key',
      'openai-session',
    ]
    const { status, sent } = await ask(door, form, Object.fromEntries(names.map((name) => [name, canary])))
    expect(status).toBe(200)
    expect(JSON.stringify(sent)).not.toContain(canary)
  })

  it('hostile values and floods', async () => {
    const { status, sent } = await ask(door, form, {
      [`${form}-long`]: 'x'.repeat(4_097),
      [`${form}-fits`]: 'x'.repeat(4_096),
      [`${form}-latin`]: 'caf\u00e9',
      [`${form}-tab`]: 'a\tb',
      [`${form}-odd_name`]: 'x',
      [`${form}-`]: '',
    })
    expect(status).toBe(200)
    expect(
      Object.keys(sent).filter((name) => name.startsWith(`${form}-`) && !/version|beta/.test(name)),
    ).toEqual([`${form}-fits`])
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`${form}-n${at}`, 'x']))
    const flood = await ask(door, form, many)
    expect(Object.keys(flood.sent).filter((name) => name.startsWith(`${form}-n`)).length).toBeLessThanOrEqual(
      32,
    )
  })

  it.each([true, false])('the headers of the answer, streamed: %s', async (stream) => {
    Object.assign(told, {
      [`${form}-of-tomorrow`]: 'yes',
      [`${other}-of-tomorrow`]: 'no',
      'set-cookie': 'a=b',
      server: 'theirs',
      'x-other': 'no',
      'openai-model': 'other',
      'x-openai-model': 'other',
      'x-models-etag': 'W/"7"',
      'anthropic-workspace-id': 'wrkspc_1',
      'anthropic-priority-input-tokens-limit': '9',
      'anthropic-fast-input-tokens-remaining': '9',
      'x-codex-primary-used-percent': '9',
      'anthropic-api-key': 'x',
    })
    const { status, headers } = await ask(door, form, {}, { stream })
    expect(status).toBe(200)
    expect(headers.get(`${form}-of-tomorrow`)).toBe('yes')
    const shown = [...headers.keys()].filter((name) =>
      /anthropic|openai|codex|models|ratelimit|cf-|via|cookie|x-other/.test(name),
    )
    const known = form === 'openai' ? ['openai-processing-ms', 'openai-version'] : []
    expect(shown.sort()).toEqual([`${form}-of-tomorrow`, ...known].sort())
    expect(headers.get('x-request-id') ?? '').not.toMatch(/^req_/)
    expect(headers.get('request-id') ?? '').not.toMatch(/^req_/)
    expect(headers.get('server')).not.toBe('theirs')
  })

  it('the headers of a refusal', async () => {
    const body =
      form === 'anthropic'
        ? { type: 'error', error: { type: 'invalid_request_error', message: 'no' } }
        : { error: { message: 'no', type: 'invalid_request_error', param: null, code: null } }
    const headers = { [`${form}-thinking-prefix-mismatch`]: 'kind=system; pattern=x' }
    sims[form].play([{ status: 400, headers, body }])
    const answer = await ask(door, form)
    expect([answer.status, answer.headers.get(`${form}-thinking-prefix-mismatch`)]).toEqual([
      400,
      'kind=system; pattern=x',
    ])
    sims[form].play([{ status: 401, headers, body }])
    expect((await ask(door, form)).headers.get(`${form}-thinking-prefix-mismatch`)).toBeNull()
  })

  it("a header with the gateway's key or a control character", async () => {
    Object.assign(told, { [`${form}-echo`]: `key=${upstreamKey}`, [`${form}-tab`]: 'a\tb' })
    const { headers } = await ask(door, form)
    expect(headers.get(`${form}-echo`)).toMatch(/^key=(?!.*sk-upstream)/)
    expect(headers.get(`${form}-tab`)).toBeNull()
  })

  it('a service of the other dialect: none of its headers', async () => {
    Object.assign(told, { [`${form}-of-tomorrow`]: 'no', [`${other}-of-tomorrow`]: 'no' })
    const { headers } = await ask(door, other)
    expect([...headers.keys()].filter((name) => /^(anthropic|openai)-/.test(name))).toEqual([])
  })
})

it('account selectors pass where the configuration names them', async () => {
  const workspace = await ask('messages', 'workspace', { 'anthropic-workspace-id': 'wrkspc_mine' })
  expect(workspace.sent['anthropic-workspace-id']).toBe('wrkspc_mine')
  const chosen = { 'openai-project': 'proj_mine', 'openai-organization': 'org_mine' }
  const project = await ask('chat', 'project', chosen)
  expect(project.sent['openai-project']).toBe('proj_mine')
  expect(project.sent['openai-organization']).toBeUndefined()
})

it('Anthropic is told which program asks, and what for; nobody else is', async () => {
  const told = { 'user-agent': 'agent/1.0', 'x-claude-code-request-class': 'main' }
  expect((await ask('messages', 'anthropic', told)).sent).toMatchObject(told)
  for (const [door, backend] of [
    ['messages', 'openai'],
    ['chat', 'anthropic'],
    ['chat', 'openai'],
    ['responses', 'openai'],
  ] as const)
    expect(JSON.stringify((await ask(door, backend, told)).sent)).not.toMatch(/agent\/1\.0|request-class/)
})

it("the backend's configured headers win", async () => {
  const { sent } = await ask('chat', 'fixed', { 'openai-project': 'proj_mine' })
  expect(sent['openai-project']).toBe('proj_configured')
})

it('the sticky token of a turn goes back and forth', async () => {
  told['x-codex-turn-state'] = 'sticky-1'
  const { headers } = await ask('responses', 'openai')
  expect(headers.get('x-codex-turn-state')).toBe('sticky-1')
  const { sent } = await ask('responses', 'openai', { 'x-codex-turn-state': 'sticky-1' })
  expect(sent['x-codex-turn-state']).toBe('sticky-1')
})

it("Anthropic's own listing is passed on to clients of Messages", async () => {
  const list = (headers: Record<string, string>) =>
    fetch(`${url}/v1/models`, { headers }).then((answer) => answer.json()) as Promise<{ data: Body[] }>
  const { data } = await list({ 'anthropic-version': '2023-06-01' })
  const claude = data.find(({ id }) => String(id).startsWith('anthropic/'))
  expect(claude).toMatchObject({
    type: 'model',
    capabilities: { thinking: { supported: expect.any(Boolean) } },
  })
  const other = data.find(({ id }) => id === 'openai/gpt-demo')
  expect(other).toMatchObject({ lifecycle: 'active', line: null, capabilities: null })
  const openai = await list({})
  expect(openai.data.every((entry) => !('capabilities' in entry))).toBe(true)
})
