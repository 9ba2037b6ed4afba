import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import {
  addBackends,
  backendAt,
  cursorBackend,
  isConfigured,
  localBackend,
  namedService,
  servicesInVariables,
} from './found-backends.ts'
import { hostedServices, localServers } from './known-services.ts'

const variables = (values: Record<string, string>) => (name: string) => values[name]
const [claude] = hostedServices
const ollama = localServers.find(({ name }) => name === 'ollama')
const litellm = localServers.find(({ name }) => name === 'litellm')
if (!claude || !ollama || !litellm) throw new Error('rows are missing')

describe('keys in variables', () => {
  it('are named, never copied', () => {
    const found = servicesInVariables(
      variables({ ANTHROPIC_API_KEY: 'sk-secret', GROQ_API_KEY: 'gsk_secret' }),
    )
    expect(found.map(({ name, settings }) => [name, settings])).toEqual([
      ['claude', { kind: 'anthropic', apiKey: '{env:ANTHROPIC_API_KEY}' }],
      ['groq', { kind: 'openai', baseUrl: 'https://api.groq.com/openai/v1', apiKey: '{env:GROQ_API_KEY}' }],
    ])
    expect(JSON.stringify(found)).not.toContain('secret')
  })

  it('are for the address beside them', () => {
    const found = servicesInVariables(
      variables({
        ...{ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: 'https://llm.example.com/v1/' },
        ...{ ANTHROPIC_API_KEY: 'x', ANTHROPIC_BASE_URL: 'https://claude.example.com/v1' },
      }),
    )
    expect(found.map(({ settings }) => 'baseUrl' in settings && settings.baseUrl)).toEqual([
      'https://claude.example.com',
      'https://llm.example.com/v1',
    ])
  })

  it.each(['http://127.0.0.1:18741', 'http://localhost:1/v1', 'not an address'])(
    'are left alone where they are for %s, which may be this gateway',
    (address) => {
      const found = servicesInVariables(variables({ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: address }))
      expect(found).toEqual([])
    },
  )

  it('are the second name, if that one is set', () => {
    const [found] = servicesInVariables(variables({ GOOGLE_API_KEY: 'x' }))
    expect(found?.settings).toMatchObject({ apiKey: '{env:GOOGLE_API_KEY}' })
  })
})

it('a named service without its key says which variable to set', () => {
  expect(namedService(claude, variables({})).missing).toBe('ANTHROPIC_API_KEY')
  expect(namedService(claude, variables({ ANTHROPIC_API_KEY: 'x' })).missing).toBeUndefined()
})

it('a local server that asks for a key gets its variable', () => {
  const url = 'http://127.0.0.1:4000/v1'
  expect(localBackend({ server: litellm, url }, variables({}))).toMatchObject({
    settings: { kind: 'openai', baseUrl: url, apiKey: '{env:LITELLM_MASTER_KEY}' },
    missing: 'LITELLM_MASTER_KEY',
  })
  expect(localBackend({ server: litellm, url, models: 1 }, variables({})).settings).toEqual({
    kind: 'openai',
    baseUrl: url,
  })
})

describe('the file', () => {
  const local = localBackend({ server: ollama, url: 'http://127.0.0.1:11434/v1', models: 2 }, variables({}))

  it('is made anew', () => {
    expect(addBackends('', [cursorBackend('x'), local])).toBe(`{
  "backends": {
    "cursor": { "kind": "cursor" },
    "ollama": { "kind": "openai", "baseUrl": "http://127.0.0.1:11434/v1" }
  }
}
`)
  })

  it('keeps what is there, and another name where one is taken', () => {
    const text = '{\n  // mine\n  "backends": {\n    "ollama": { "kind": "cursor" }, // old\n  },\n}\n'
    const next = addBackends(text, [local, backendAt('openai', 'https://api.example.com/v1')])
    expect(next).toContain('// mine')
    expect(next).toContain('// old')
    expect(Object.keys(parse(next).backends)).toEqual(['ollama', 'ollama-2', 'example'])
  })

  it.each([
    ['the same address', '{"backends":{"x":{"kind":"openai","baseUrl":"http://localhost:11434/v1/"}}}', true],
    ['another port', '{"backends":{"x":{"kind":"openai","baseUrl":"http://localhost:11435/v1"}}}', false],
    ['another kind', '{"backends":{"x":{"kind":"anthropic","baseUrl":"http://localhost:11434/v1"}}}', false],
    ['nothing', '{}', false],
  ])('with %s has it already: %#', (_what, text, expected) => {
    expect(isConfigured(text, local)).toBe(expected)
  })
})
