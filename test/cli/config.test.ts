// The configuration of the program: where the file is found, its errors, and its effective settings.

import { mkdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import { isNightly } from '../depth.ts'
import { Home, stackTrace } from './program.ts'

const box = { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }
const minimal = { backends: { box } }
const named = (name: string) => ({ backends: { [name]: box } })

describe.concurrent('the file that counts', () => {
  it('--config, then $DRAGOMAN_CONFIG, then ./dragoman.jsonc, then the one in $XDG_CONFIG_HOME', async () => {
    const home = new Home()
    const flag = home.write('by-flag.jsonc', { ...named('by-flag'), listen: { host: 'by.flag.invalid' } })
    const variable = home.write('by-variable.jsonc', named('by-variable'))
    home.write('work/dragoman.jsonc', named('by-folder'))
    home.write('config/dragoman/config.jsonc', named('by-user'))
    mkdirSync(home.path('elsewhere'))
    const env = { DRAGOMAN_CONFIG: variable }
    const used = async (args: string[], settings = {}) =>
      /backend +(\S+):|(by-flag)\.jsonc: Listening/
        .exec((await home.run(['config', 'check', ...args], settings)).output)
        ?.slice(1)
        .find(Boolean)
    expect(await used([flag], { env })).toBe('by-flag')
    expect(await used([], { env })).toBe('by-variable')
    expect(await used([])).toBe('by-folder')
    expect(await used([], { cwd: home.path('elsewhere') })).toBe('by-user')
    // `serve` looks in the same order: this host is refused by name.
    const served = await home.run(['serve', '--config', flag, '--port', '0'], { env })
    expect(served.stderr).toContain('by.flag.invalid')
  })

  it.runIf(isNightly)('falls back to ~/.config without $XDG_CONFIG_HOME', async () => {
    const home = new Home()
    home.write('.config/dragoman/config.jsonc', named('by-home'))
    const { stdout } = await home.run(['config', 'check'], { env: { XDG_CONFIG_HOME: '' } })
    expect(stdout).toContain('by-home')
  })

  it('none at all: says where to write one, and what needs none', async () => {
    const home = new Home()
    for (const command of [['serve'], ['config', 'check']]) {
      const { code, stderr, stdout } = await home.run(command)
      expect(code).toBe(2)
      expect(stdout).toBe('')
      expect(stderr).toContain(home.path('config', 'dragoman', 'config.jsonc'))
      expect(stderr).toContain('./dragoman.jsonc')
      expect(stderr).toContain('dragoman demo')
    }
  })

  it('a named file that does not exist is an error, never skipped', async () => {
    const home = new Home()
    home.write('work/dragoman.jsonc', minimal)
    const byFlag = await home.run(['serve', '--config', 'gone.jsonc'])
    const byVariable = await home.run(['serve'], { env: { DRAGOMAN_CONFIG: 'gone.jsonc' } })
    for (const { code, stderr } of [byFlag, byVariable]) {
      expect(code).toBe(2)
      expect(stderr).toMatch(
        /gone\.jsonc:\s+- the file does not exist; `dragoman init --config \S*gone\.jsonc` writes it/,
      )
    }
  })

  it('an unreadable file is an error', async () => {
    const home = new Home()
    const { code, stderr } = await home.run(['serve', '--config', home.folder])
    expect(stderr).toContain(home.folder)
    expect(stderr).not.toMatch(stackTrace)
    expect(code).toBe(2)
  })

  it('`config check` takes --config like the others', async () => {
    const home = new Home()
    const { code, stdout } = await home.run(['config', 'check', '--config', home.write('c.jsonc', minimal)])
    expect(stdout).toContain(': ok')
    expect(code).toBe(0)
  })
})

type Mistake = [string, unknown, RegExp | string]

const withBox = (more: Record<string, unknown>) => ({ backends: { box: { ...box, ...more } } })

// Too many for a process each: the parser that the program uses.
describe('errors of the parser', () => {
  const environment = readEnvironment({ HOME: '/nonexistent' })

  it.each<Mistake>([
    ['a nested key', { ...minimal, listen: { prot: 1 } }, 'listen.prot: unknown key; did you mean "port"?'],
    ['an empty key', withBox({ apiKey: '' }), 'backends.box.apiKey: must not be empty'],
    [
      'one of a backend',
      withBox({ apikey: 'x' }),
      'backends.box.apikey: unknown key; did you mean "apiKey"?',
    ],
    [
      'one in a list',
      { ...minimal, auth: { keys: [{ nam: 'a', key: '12345678' }] } },
      /auth\.keys.*nam: unknown key; did you mean "name"\?/,
    ],
    ['one like no other', { ...minimal, zzzzzzzz: 1 }, /zzzzzzzz: unknown key$/],
    ['a number too big', { ...minimal, listen: { port: 70_000 } }, /listen\.port: .*65535/],
    ['an unknown choice', { ...minimal, log: { level: 'inf' } }, /log\.level: .*debug.*silent/],
    ['a wrong kind', { backends: { a: { kind: 'opnai' } } }, /backends\.a\.kind: .*anthropic.*openai/],
    ['no kind', { backends: { a: {} } }, /backends\.a\.kind: .*anthropic.*openai/],
    ['no URL', { backends: { a: { kind: 'openai', baseUrl: 'box:8000' } } }, /baseUrl: .*http:\/\//],
    ['no key', { backends: { a: { kind: 'anthropic' } } }, 'backends.a.apiKey: is required'],
    ['no backends', {}, 'backends: is required'],
    ['not one backend', { backends: {} }, 'backends: configure at least one'],
    ['an alias without backend', { ...minimal, models: { m: 'x' } }, /models\.m: .*BACKEND\/MODEL/],
    ['one of a list', { ...minimal, models: { m: ['box/x', 'nowhere/x'] } }, /models\.m: "nowhere\/x"/],
    [
      'a short key',
      { ...minimal, auth: { keys: [{ name: 'a', key: 'short' }] } },
      /auth\.keys.*8 characters/,
    ],
    [
      'local tools for the network',
      { ...minimal, listen: { host: '0.0.0.0' }, exec: { enabled: true } },
      /exec\.enabled: .*"listen\.host" to 127\.0\.0\.1/,
    ],
    ['a list', [], '(top level)'],
    ['an empty file', '', 'line 1'],
    ['JSONC cut short', '{\n "backends": {', /: *\n {2}- line 2: a } is missing$/],
    ['a name with a space', { backends: { 'a b': box } }, /"?a b"?: .*letters, digits/],
    ['a misspelt "none"', { ...minimal, auth: 'nune' }, /auth: .*"none".*keys/],
    ['a query in the URL', withBox({ baseUrl: 'http://127.0.0.1:9/v1?version=2' }), 'backends.box.baseUrl: '],
  ])('%s', (_case, content, expected) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    expect(() => parseConfig(text, { environment })).toThrow(expected)
  })
})

describe.concurrent('errors of the command', () => {
  const home = new Home()
  let files = 0

  const check = async (content: unknown, env: Record<string, string> = {}) => {
    const file = home.write(`wrong-${files++}.jsonc`, content)
    const ended = await home.run(['serve', '--config', file, '--port', '0'], { env })
    expect(ended.code, ended.output).toBe(2)
    expect(ended.stdout).toBe('')
    expect(ended.stderr).toContain(file)
    expect(ended.stderr).not.toMatch(stackTrace)
    return ended.stderr
  }

  it.each<Mistake>([
    ['unknown keys', { ...minimal, lisen: {}, modles: {} }, /lisen: .*"listen"[\s\S]*modles: .*"models"/],
    ['a wrong type', { ...minimal, listen: { port: 'x' } }, /listen\.port: .*number/],
    ['an alias to nowhere', { ...minimal, models: { m: 'bax/x' } }, /models\.m: .*"bax\/x".*"box\/…"/],
    ['broken JSONC', '{\n  // fine\n  "backends": {\n    "a" {}\n  }\n}', 'line 4'],
    ['a metadata address', withBox({ baseUrl: 'http://169.254.169.254/v1' }), /box.*169\.254\.169\.254/],
    ['a CA file that is not there', withBox({ connect: { ca: 'gone.pem' } }), /box.*connect\.ca.*gone\.pem/],
  ])('%s', async (_case, content, expected) => {
    expect(await check(content)).toMatch(expected)
  })

  it('a variable that is not set, or empty, is named with its place', async () => {
    const content = { backends: { box: { ...box, apiKey: '{env:BOX_KEY}', headers: { a: '{env:OTHER}' } } } }
    const stderr = await check(content, { OTHER: '' })
    expect(stderr).toContain('backends.box.apiKey: the variable BOX_KEY is not set')
    expect(stderr).toContain('backends.box.headers.a: the variable OTHER is not set')
  })

  it('shows no value that came from a variable', async () => {
    const secret = 'canary-value-424242'
    const content = {
      backends: { box: { ...box, baseUrl: '{env:U}', tools: '{env:U}' } },
      log: { level: '{env:U}' },
    }
    expect(await check(content, { U: secret })).not.toContain(secret)
  })

  it('nor in an alias', async () => {
    const content = { ...minimal, models: { m: '{env:U}' } }
    expect(await check(content, { U: 'canary-value-424242' })).not.toContain('canary-value-424242')
  })

  it('a proxy variable that is not a URL is named', async () => {
    const file = home.write('proxied.jsonc', minimal)
    for (const proxy of ['127.0.0.1:3128', 'proxy:3128']) {
      const args = ['models', '--config', file]
      const { code, stderr } = await home.run(args, { env: { HTTPS_PROXY: proxy } })
      expect(stderr).not.toMatch(stackTrace)
      expect(stderr).toContain('HTTPS_PROXY')
      expect(code).not.toBe(0)
    }
  })
})

describe.concurrent('config check', () => {
  const home = new Home()
  const secrets = {
    GATE_KEY: 'gate-key-canary-0123456789abcdef',
    BOX_KEY: 'box-key-canary-0123456789',
    BOX_TOKEN: 'box-token-canary-0123456789',
  }
  const caFile = home.write('box.pem', '')
  const full = `{
    "$schema": "./dragoman.schema.json",
    // who may call
    "auth": { "keys": [{ "name": "laptop", "key": "{env:GATE_KEY}" }] },
    "backends": {
      "claude": { "kind": "anthropic", "apiKey": "sk-in-the-file-canary", "promptCache": "off" },
      "box": {
        "kind": "openai", "baseUrl": "http://127.0.0.1:9/v1", "apiKey": "{env:BOX_KEY}",
        "headers": { "x-team": "blue-team-canary", "authorization": "Bearer {env:BOX_TOKEN}" },
        "connect": { "proxy": "http://proxy-user:proxy-password-canary@127.0.0.1:3128", "ca": "${caFile}" },
      },
      "plain": {
        "kind": "openai", "baseUrl": "http://127.0.0.1:9/v1", "tools": "text", "toolText": { "formats": { "a*": "xml" } },
      },
      "google": { "kind": "gemini", "apiKey": "AIza-in-the-file-canary" },
      "qwen": { "kind": "qwen-web", "token": "token-in-the-file-canary", "cookie": "a=cookie-canary", "deleteChats": true },
    },
    "models": {
      "best": ["claude/claude-opus-5", "box/small"],
      "rows": [{ "when": { "thinking": true, "inputTokens": ">9" }, "use": "box/small" }, "claude/claude-opus-5"],
    },
    "clients": { "cursor-ide": { "toolArguments": "streamed" } },
    "exec": { "enabled": true, "root": "work", "tools": ["read", "shell"] },
    "tapes": { "record": "asked", "folder": "/var/tapes" },
    "inspector": { "enabled": true },
  }`

  it('says what every setting means, and shows no secret', async () => {
    const { code, output, stdout } = await home.run(['config', 'check', home.write('full.jsonc', full)], {
      env: secrets,
    })
    expect(code).toBe(0)
    for (const part of [
      'full.jsonc: ok',
      '127.0.0.1:18741',
      'each turn that its client wants recorded, with all its content, in /var/tapes',
      'on, at /; the newest 200 turns, in memory',
      '"laptop" (32 characters)',
      'https://api.anthropic.com/v1/messages',
      'http://127.0.0.1:9/v1/chat/completions',
      'gemini at https://generativelanguage.googleapis.com/v1beta/models',
      'prompt cache off',
      'extra headers x-team, authorization',
      'proxy 127.0.0.1:3128',
      `CA file ${caFile}`,
      'tools text, calls written in <tool_call> as json (xml for a*), one second try',
      'qwen-web at https://chat.qwen.ai (unofficial), token of 24 characters, with cookies, version 0.2.81',
      'calls written in <use_tool> as json, one second try, chats are deleted',
      'best → claude/claude-opus-5, else box/small',
      'rows → if inputTokens >9, thinking true: box/small; otherwise claude/claude-opus-5',
      'streamed for cursor-ide',
      `read, shell in ${home.path('work')}, for clients that send none; commands in a sandbox without network, for up to 60 s`,
    ])
      expect(stdout).toContain(part)
    expect(output).not.toContain('canary')
    expect(output).not.toContain('proxy-user')
  })

  it('refuses what serve would refuse', async () => {
    const file = home.write('exposed.jsonc', { ...minimal, listen: { host: '0.0.0.0' } })
    const { code, stdout, stderr } = await home.run(['config', 'check', file])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('refused without a key')
  })

  it('shows no password of a base URL', async () => {
    const withPassword = { ...box, baseUrl: 'http://me:hunter2@127.0.0.1:9/v1' }
    const { output } = await home.run([
      'config',
      'check',
      home.write('url.jsonc', { backends: { withPassword } }),
    ])
    expect(output).not.toContain('hunter2')
  })

  it('shows the URL that is really called', async () => {
    const file = home.write('slash.jsonc', {
      backends: { box: { ...box, baseUrl: 'http://127.0.0.1:9/v1/' } },
    })
    expect((await home.run(['config', 'check', file])).stdout).toContain(
      'http://127.0.0.1:9/v1/chat/completions',
    )
  })

  it('takes an empty HOME-less environment', async () => {
    const { code } = await home.run(['config', 'check', home.write('plain.jsonc', minimal)], {
      env: { HOME: '' },
    })
    expect(code).toBe(0)
  })
})

describe.concurrent('config schema', () => {
  const home = new Home()
  const schema = home.run(['config', 'schema']).then(({ stdout }) => JSON.parse(stdout))
  const accepts = async (value: unknown) => z.fromJSONSchema(await schema).safeParse(value).success

  // The example of the public contract, as far as this version goes: no cursor, qwen-web or Redis yet.
  const example = {
    listen: { host: '127.0.0.1', port: 18_741 },
    auth: { keys: [{ name: 'laptop', key: '{env:DRAGOMAN_KEY}' }] },
    backends: {
      claude: { kind: 'anthropic', baseUrl: 'https://api.anthropic.com', apiKey: '{env:ANTHROPIC_API_KEY}' },
      box: { kind: 'openai', baseUrl: 'http://127.0.0.1:8000/v1', apiKey: 'x', tools: 'native' },
    },
    models: { 'gpt-4o': 'box/default', best: ['claude/claude-opus-5', 'box/default'] },
    clients: { 'cursor-ide': { toolArguments: 'whole' } },
    toolArguments: 'whole',
    sessions: { reuse: true, idleMs: 900_000, progressMs: 120_000, max: 1_000 },
    exec: { enabled: false, root: '.' },
    limits: { bodyBytes: 33_554_432 },
    allow: { hosts: [], origins: [] },
    log: { level: 'info' },
  }

  it('is a JSON Schema of 2020-12 with nothing but itself on stdout', async () => {
    const found = await schema
    expect(found.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(found.required).toEqual(['backends'])
    expect(found.title).toBeTruthy()
  })

  it("accepts the contract's example, as `config check` does", async () => {
    expect(await accepts(example)).toBe(true)
    const { code, output } = await home.run(['config', 'check', home.write('example.jsonc', example)], {
      env: { DRAGOMAN_KEY: 'k'.repeat(32), ANTHROPIC_API_KEY: 'sk-ant-x' },
    })
    expect(code, output).toBe(0)
  })

  it('accepts the least there can be', async () => {
    expect(await accepts(minimal)).toBe(true)
    expect(await accepts({ $schema: 'x', ...minimal })).toBe(true)
  })

  it.each([
    ['unknown keys', { ...example, lisen: {} }],
    ['unknown kinds', { backends: { a: { kind: 'nope' } } }],
    ['an invalid port', { ...example, listen: { port: 70_000 } }],
    ['no backends', { listen: {} }],
    ['a tool that there is not', { ...example, exec: { enabled: true, tools: ['sudo'] } }],
  ])('refuses %s', async (_case, value) => {
    expect(await accepts(value)).toBe(false)
  })

  // A `format` in the schema would make editors mark it as an error.
  it('accepts {env:NAME} in any string', async () => {
    const value = {
      backends: { box: { ...box, baseUrl: '{env:BOX_URL}', connect: { proxy: '{env:PROXY}' } } },
    }
    expect(await accepts(value)).toBe(true)
  })
})
