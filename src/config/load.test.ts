import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readEnvironment } from './environment.ts'
import { findConfigFile, loadConfig, parseConfig } from './load.ts'
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

describe('a variable as other programs write it', () => {
  const read = (apiKey: string, env: Record<string, string> = {}) =>
    parseConfig(JSON.stringify({ backends: { box: { ...box, apiKey } } }), {
      environment: readEnvironment({ HOME: '/nonexistent', ...env }),
    })

  it.each([
    '$BOX_API_KEY',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as people write it
    '${BOX_API_KEY}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as people write it
    '${env:BOX_API_KEY}',
    '$env:BOX_API_KEY',
    '%BOX_API_KEY%',
    '{{BOX_API_KEY}}',
    '{{ env.BOX_API_KEY }}',
    'process.env.BOX_API_KEY',
    'env:BOX_API_KEY',
    'Bearer $BOX_API_KEY',
  ])('%s is explained', (apiKey) => {
    for (const env of [{}, { BOX_API_KEY: 'x' }])
      expect(() => read(apiKey, env)).toThrow(
        'backends.box.apiKey: a variable is written {env:BOX_API_KEY} here',
      )
  })

  it('is not repeated if it may be a secret', () => {
    const secret = '$HUNTER2HUNTER2'
    expect(() => read(secret)).toThrow('looks like a variable; one is written {env:NAME} here')
    expect(() => read(secret)).not.toThrow('HUNTER2')
    expect(() => read(secret, { HUNTER2HUNTER2: 'x' })).toThrow('{env:HUNTER2HUNTER2}')
  })

  it.each(['sk-$BOX_API_KEY', 'a$', '$1', '$ecret-pass', '{env:BOX_API_KEY}x', '100%'])(
    '%s is none',
    (apiKey) => {
      expect(read(apiKey, { BOX_API_KEY: 'key' }).missing).toEqual([])
    },
  )
})

describe('a base URL that ends in a route', () => {
  const read = (kind: string, baseUrl: string) => {
    const backends = { box: { kind, baseUrl, apiKey: 'x' } }
    const { config, notes } = parseConfig(JSON.stringify({ backends }), {
      environment: readEnvironment({ HOME: '/nonexistent' }),
    })
    return { baseUrl: config.backends.box?.baseUrl, notes }
  }

  it.each([
    ['openai', 'http://h/v1/chat/completions', 'http://h/v1'],
    ['openai', 'http://h/v1/responses/', 'http://h/v1'],
    ['openai', 'http://h/v1/models', 'http://h/v1'],
    ['anthropic', 'http://h/v1/messages', 'http://h'],
    ['anthropic', 'http://h/proxy/v1/', 'http://h/proxy'],
  ])('%s %s is put right, with a note', (kind, given, baseUrl) => {
    expect(read(kind, given)).toEqual({
      baseUrl,
      notes: [expect.stringMatching(/^backends\.box\.baseUrl: \/\S+ at its end/)],
    })
  })

  it.each([
    ['openai', 'http://h/v1'],
    ['openai', 'http://h/api/messages'],
    ['anthropic', 'http://h/v1beta'],
  ])('%s %s stays', (kind, baseUrl) => {
    expect(read(kind, baseUrl)).toEqual({ baseUrl, notes: [] })
  })

  it.each([
    ['openai', 'http://h/v1/messages', 'a route of kind "anthropic"'],
    ['anthropic', 'http://h/v1/chat/completions', 'a route of kind "openai"'],
  ])('%s %s is the route of another kind', (kind, baseUrl, said) => {
    expect(() => read(kind, baseUrl)).toThrow(said)
  })
})

describe('what was meant', () => {
  const problem = (config: unknown) => {
    try {
      parseConfig(JSON.stringify(config), { environment: readEnvironment({ HOME: '/nonexistent' }) })
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }

  it.each([
    ['claude', 'did you mean "anthropic"?'],
    ['openai-compatible', 'did you mean "openai"?'],
    ['Anthropic', 'did you mean "anthropic"?'],
    ['qwen', 'did you mean "qwen-web"?'],
    ['vllm', 'vllm speaks the protocol of kind "openai"'],
  ])('kind %s', (kind, said) => {
    expect(problem({ backends: { a: { kind } } })).toContain(said)
  })

  it.each([
    { provider: 'bedrock', region: 'us-east-1' },
    { provider: 'vertex', region: 'global', project: 'p1', models: ['claude-sonnet-5-5'] },
  ])('several accounts of the cloud $provider', (cloud) => {
    const accounts = [{ name: 'a', apiKey: 'secret-of-a' }]
    expect(problem({ backends: { a: { kind: 'anthropic', ...cloud, accounts } } })).toContain(
      `backends.a.accounts: unknown key of provider "${cloud.provider}", which has one credential; make each account a backend`,
    )
  })

  it('a key that belongs elsewhere', () => {
    const cursor = { kind: 'cursor' }
    expect(problem({ backends: { a: { ...cursor, deleteChats: true } } })).toContain(
      'backends.a.deleteChats: unknown key of kind "cursor"; it is a setting of kind "qwen-web"',
    )
    expect(problem({ backends: { a: { ...cursor, firstByteMs: 1_000 } } })).toContain(
      'it is a setting of kind "anthropic", "gemini", "openai", "qwen-web"',
    )
    expect(problem({ backends: { a: cursor }, listen: { workers: 2 } })).toContain(
      'listen.workers: unknown key; it belongs to the top level of the file',
    )
    expect(problem({ backends: { a: cursor }, constructor: 1 })).toMatch(/constructor: unknown key$/)
  })
})

describe('the form of a key', () => {
  const read = (more: Record<string, unknown>) => () =>
    parseConfig(JSON.stringify({ backends: { box: { ...box, ...more } } }), {
      environment: readEnvironment({ HOME: home, QUOTED: '"sk-canary"' }),
    })

  it.each<[Record<string, unknown>, string]>([
    [{ apiKey: '{env:QUOTED}' }, 'backends.box.apiKey: has quotes around it'],
    [{ apiKey: 'Bearer sk-canary' }, 'backends.box.apiKey: begins with "Bearer"'],
    [{ accounts: [{ name: 'a', apiKey: "'sk-canary'" }] }, 'backends.box.accounts[0].apiKey: has quotes'],
  ])('%j is refused', (more, says) => {
    expect(read(more)).toThrow(says)
    expect(read(more)).not.toThrow('canary')
  })

  it('a header of its own may need the word', () => {
    expect(read({ apiKey: 'Bearer sk-canary', authHeader: 'x-auth' })).not.toThrow()
  })
})

describe('the file', () => {
  it('that cannot be looked at is not taken for missing', () => {
    const loop = join(home, 'loop.jsonc')
    symlinkSync(loop, loop)
    expect(() => findConfigFile(loop, environment)).toThrow('cannot be read (ELOOP)')
  })

  it('of another name is noticed, if it looks like one', () => {
    const folder = join(home, '.config', 'dragoman')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'config.json'), '{}')
    const load = () => loadConfig(undefined, readEnvironment({ HOME: home }))
    expect(load).toThrow('no file found; `dragoman init` writes one')
    writeFileSync(join(folder, 'config.json'), '{ "backends": {} }')
    expect(load).toThrow(`${join(folder, 'config.json')} looks like one; name it with --config`)
  })
})
