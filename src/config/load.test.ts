import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readEnvironment } from './environment.ts'
import { parseConfig } from './load.ts'
import { defaultToolText } from './tool-text.ts'

const home = mkdtempSync(join(tmpdir(), 'dragoman-load-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const environment = readEnvironment({ HOME: home, NAME: 'from-env-canary' })

const parse = (settings: unknown, file = join(home, 'dragoman.jsonc')) =>
  parseConfig(JSON.stringify(settings), { file, environment })
const box = { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }

describe('placeholders', () => {
  writeFileSync(join(home, 'secret.txt'), '  from-file-canary\n')

  it.each(['{file:secret.txt}', '{file:~/secret.txt}', `{file:${join(home, 'secret.txt')}}`])(
    '%s is the content of the file, and a secret',
    (apiKey) => {
      const { config, secrets } = parse({ backends: { box: { ...box, apiKey } } })
      expect(config.backends.box).toMatchObject({ apiKey: 'from-file-canary' })
      expect(secrets).toContain('from-file-canary')
    },
  )

  it('may occur inside a string, several at once', () => {
    const headers = { authorization: 'Basic {env:NAME}:{file:secret.txt}' }
    expect(parse({ backends: { box: { ...box, headers } } }).config.backends.box?.headers).toEqual({
      authorization: 'Basic from-env-canary:from-file-canary',
    })
  })

  it.each([
    ['{file:gone.txt}', 'backends.box.apiKey: the file gone.txt cannot be read: there is no such file'],
    ['{env:GONE}', 'backends.box.apiKey: the variable GONE is not set'],
  ])('%s is an error that names the key', (apiKey, problem) => {
    expect(() => parse({ backends: { box: { ...box, apiKey } } })).toThrow(problem)
  })
})

describe('settings without effect are refused', () => {
  it.each([
    [
      { clients: { 'open-code': { toolArguments: 'streamed' } } },
      /clients\.open-code: .*did you mean "opencode"/,
    ],
    [{ clients: { emacs: {} } }, /clients\.emacs: .*opencode, claude-code/],
    [
      { backends: { a: { kind: 'anthropic', apiKey: 'x', baseUrl: 'https://api.anthropic.com/v1' } } },
      /must not end in \/v1/,
    ],
    [{ backends: { a: { ...box, baseUrl: 'https://me:pass@example.com/v1' } } }, /credentials belong in/],
    [{ toolArguments: 'stream' }, /toolArguments: must be one of "whole", "streamed"/],
    [{ listen: { port: '80' } }, /listen\.port: must be a number/],
    [{ port: 8080 }, /- port: unknown key; did you mean "listen\.port"\?/],
    [{ backends: { a: { kind: 'curser' } } }, /backends\.a\.kind: must be "anthropic", "cursor"/],
    [{ backends: undefined }, /backends: is required \(an object\)/],
  ])('%j', (more, problem) => {
    expect(() => parse({ backends: { box }, ...more })).toThrow(problem)
  })
})

describe('tools as text', () => {
  const text = { ...box, tools: 'text' }

  it('need no settings', () => {
    expect(parse({ backends: { box: text } }).config.backends.box).toMatchObject({ tools: 'text' })
    expect(defaultToolText).toEqual({
      format: 'json',
      formats: {},
      tag: 'tool_call',
      secondTry: true,
      systemRole: true,
    })
  })

  it('fill in defaults', () => {
    const toolText = { format: 'xml', formats: { 'a*': 'json' }, systemRole: false }
    expect(parse({ backends: { box: { ...text, toolText } } }).config.backends.box).toMatchObject({
      toolText: { ...toolText, tag: 'tool_call', secondTry: true },
    })
  })

  it.each([
    [{ ...box, tools: 'text', strict: 'on' }, 'backends.box.strict: has no effect with "tools": "text"'],
    [{ ...box, toolText: {} }, 'backends.box.toolText: has no effect without "tools": "text"'],
    [{ ...text, toolText: { tag: 'Think' } }, /backends\.box\.toolText\.tag: is a tag that models use/],
    [{ ...text, toolText: { tag: 'tool_response' } }, /toolText\.tag: is a tag that models use/],
    [{ ...text, toolText: { tag: 'x' } }, /toolText\.tag: must be 3 to 32 letters/],
    [{ ...text, toolText: { tag: '1st' } }, /toolText\.tag: must be 3 to 32 letters/],
    [{ ...text, toolText: { tag: 'a>b' } }, /toolText\.tag: must be 3 to 32 letters/],
    [{ ...text, toolText: { format: 'yaml' } }, /toolText\.format: must be one of "json", "xml"/],
    [{ ...text, toolText: { formats: { 'a*': 'yaml' } } }, /toolText\.formats\.a\*: must be one of/],
    [{ ...text, toolText: { tags: 'x' } }, /toolText\.tags: unknown key; did you mean "tag"/],
    [{ ...box, tools: 'txt' }, /backends\.box\.tools: must be one of "native", "text"/],
  ])('%j is refused', (backend, problem) => {
    expect(() => parse({ backends: { box: backend } })).toThrow(problem)
  })
})

describe('addresses and keys of OpenAI-compatible servers', () => {
  const azure = {
    kind: 'openai',
    baseUrl: 'https://res.openai.azure.com/openai/deployments/gpt',
    apiKey: 'key-canary',
    authHeader: 'api-key',
    query: { 'api-version': '2024-10-21' },
  }

  it('accept a header for the key, and query parameters', () => {
    expect(parse({ backends: { azure } }).config.backends.azure).toMatchObject(azure)
  })

  it('treat query parameters with secret names as secrets', () => {
    const query = { 'api-version': '2024-10-21', 'subscription-key': 'query-canary' }
    const { secrets } = parse({ backends: { azure: { ...azure, query } } })
    expect(secrets).toEqual(expect.arrayContaining(['key-canary', 'query-canary']))
    expect(secrets).not.toContain('2024-10-21')
  })

  it.each([
    [{ authHeader: 'api key' }, 'backends.azure.authHeader: is not a valid header name'],
    [{ authHeader: '' }, /authHeader: is not a valid header name/],
    [{ apiKey: undefined }, 'backends.azure.authHeader: has no effect without "apiKey"'],
    [{ query: { a: 1 } }, /backends\.azure\.query\.a: must be a string/],
    [{ query: 'api-version=canary' }, /backends\.azure\.query: must be an object/],
    [{ baseUrl: `${azure.baseUrl}?api-version=1` }, /baseUrl: must have no query/],
  ])('%j is refused', (more, problem) => {
    expect(() => parse({ backends: { azure: { ...azure, ...more } } })).toThrow(problem)
  })
})

describe('the web chat of Qwen', () => {
  const qwen = { kind: 'qwen-web', token: 'token-canary' }

  it('needs only a token', () => {
    expect(parse({ backends: { qwen } }).config.backends.qwen).toEqual({
      ...qwen,
      baseUrl: 'https://chat.qwen.ai',
      version: '0.2.81',
      thinking: 'auto',
      deleteChats: false,
      toolText: { format: 'json', formats: {}, tag: 'use_tool', secondTry: true },
      firstByteMs: 600_000,
    })
  })

  it('treats token and cookies as secrets, whole and one by one', () => {
    const cookie = 'acw_tc=first-cookie-canary; theme=dark; cna="second=canary="'
    const { secrets } = parse({ backends: { qwen: { ...qwen, cookie } } })
    expect(secrets.filter((secret) => secret !== '')).toEqual([
      'token-canary',
      cookie,
      'first-cookie-canary',
      '"second=canary="',
    ])
  })

  it.each([
    [{ kind: 'qwen-web' }, 'backends.qwen.token: is required (a string)'],
    [{ ...qwen, token: 'Bearer x' }, 'backends.qwen.token: must be printable ASCII without spaces'],
    [{ ...qwen, cookie: 'a=b\nc' }, 'backends.qwen.cookie: must be printable ASCII on one line'],
    [{ ...qwen, thinking: 'maybe' }, /thinking: must be one of "auto", "on", "off"/],
    [{ ...qwen, toolText: { systemRole: false } }, /toolText\.systemRole: unknown key/],
    [{ ...qwen, apiKey: 'x' }, /apiKey: unknown key/],
  ])('%j is refused', (backend, problem) => {
    expect(() => parse({ backends: { qwen: backend } })).toThrow(problem)
  })
})
