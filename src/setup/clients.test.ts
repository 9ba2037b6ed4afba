// Each client's plan: into no file, beside what is there, over an earlier set-up, and not where it does not belong.

import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { type SetupClientName, setupClientNames } from './client-names.ts'
import { setupClients } from './clients.ts'
import { type Facts, NotUnderstood } from './plan.ts'

const key = 'dgm_abcdefghijklmnop'
const keyFile = '/home/me/.local/share/dragoman/key'

function factsFor(files: Record<string, string> = {}, more: Partial<Facts> = {}): Facts {
  const model = { id: 'cursor/composer-2', contextTokens: 200_000 }
  return {
    url: 'http://127.0.0.1:18741',
    key: { text: key, file: keyFile, needed: true },
    model,
    models: [model, { id: 'best' }, { id: 'claude/opus', contextTokens: 1000, outputTokens: 100 }],
    home: '/home/me',
    configHome: '/home/me/.config',
    projectFolder: '/work/it',
    project: false,
    plugin: undefined,
    shell: 'sh',
    variable: () => undefined,
    exists: (path) => path in files,
    read: (path) => files[path],
    ...more,
  }
}

const plan = (name: SetupClientName, files?: Record<string, string>, more?: Partial<Facts>) =>
  setupClients[name].plan(factsFor(files, more))

const fileOf = (name: SetupClientName, files?: Record<string, string>, more?: Partial<Facts>) => {
  const [file, ...others] = plan(name, files, more).files
  if (!file || others.length > 0) throw new Error('one file was expected')
  return file
}

const textKey = { key: { text: key, file: undefined, needed: true } }
const noKey = { key: { text: 'any', file: undefined, needed: false } }

const homes = {
  opencode: '/home/me/.config/opencode/opencode.json',
  'claude-code': '/home/me/.claude/settings.json',
  codex: '/home/me/.codex/config.toml',
  'qwen-code': '/home/me/.qwen/settings.json',
  continue: '/home/me/.continue/config.yaml',
} as const
const written = Object.keys(homes) as (keyof typeof homes)[]

describe.each(written)('%s', (name) => {
  it("writes the user's file where there is none", () => {
    const { path, before } = fileOf(name)
    expect({ path, before }).toEqual({ path: homes[name], before: undefined })
  })

  it('has nothing to change the second time', () => {
    const { path, after } = fileOf(name)
    expect(fileOf(name, { [path]: after }).after).toBe(after)
  })

  it.each([
    ['another address', { url: 'https://gateway.example' }],
    ['a key of the configuration', textKey],
    ['no key', noKey],
  ])('is a fixed point with %s, too', (_what, more) => {
    const { path, after } = fileOf(name, {}, more)
    expect(fileOf(name, { [path]: after }, more).after).toBe(after)
  })

  it('leaves a file that it cannot read as it is', () => {
    const broken = name === 'continue' ? 'models: {\n' : '{ "half": '
    expect(() => plan(name, { [homes[name]]: broken })).toThrow(NotUnderstood)
  })
})

describe('opencode', () => {
  it('has a provider with every model, and the key by its file', () => {
    const { after } = fileOf('opencode')
    expect(parse(after)).toEqual({
      $schema: 'https://opencode.ai/config.json',
      provider: {
        dragoman: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Dragoman',
          options: {
            baseURL: 'http://127.0.0.1:18741/v1',
            apiKey: '{file:~/.local/share/dragoman/key}',
          },
          models: {
            'cursor/composer-2': { tool_call: true, limit: { context: 200_000, output: 32_000 } },
            best: { tool_call: true },
            'claude/opus': { tool_call: true, limit: { context: 1000, output: 100 } },
          },
        },
      },
      model: 'dragoman/cursor/composer-2',
    })
    expect(after).not.toContain(key)
  })

  it('keeps comments, other providers and what was set for a model', () => {
    const path = '/home/me/.config/opencode/opencode.jsonc'
    const text = `{
  // my models
  "provider": {
    "other": { "npm": "x" }, // theirs
    "dragoman": {
      "npm": "@ai-sdk/anthropic",
      "options": { "baseURL": "http://127.0.0.1:9/v1", "timeout": 5 },
      "models": { "best": { "name": "The best" } }
    }
  },
  "theme": "x"
}
`
    const file = fileOf('opencode', { [path]: text })
    expect(file.path).toBe(path)
    for (const kept of ['// my models', '"other": { "npm": "x" }, // theirs', '"theme": "x"'])
      expect(file.after).toContain(kept)
    const { provider } = parse(file.after)
    expect(provider.dragoman.npm).toBe('@ai-sdk/anthropic')
    expect(provider.dragoman.options).toMatchObject({ baseURL: 'http://127.0.0.1:18741/v1', timeout: 5 })
    expect(provider.dragoman.models.best).toEqual({ name: 'The best' })
  })

  it.each([
    '{ "provider": { "dragoman": { "npm": "@ai-sdk/groq" } } }',
    '{ "provider": { "dragoman": { "options": { "baseURL": "https://other.example/api" } } } }',
    '{ "provider": { "dragoman": "x" } }',
    '{ "provider": [] }',
  ])('leaves another provider of that name alone: %s', (text) => {
    expect(() => plan('opencode', { [homes.opencode]: text })).toThrow(NotUnderstood)
  })

  it('adds the plugin once', () => {
    const place = 'file:///opt/dragoman'
    const plugins = (text: string) =>
      parse(fileOf('opencode', { [homes.opencode]: text }, { plugin: place }).after).plugin
    expect(plugins('')).toEqual([place])
    expect(plugins('{ "plugin": ["a"] }')).toEqual(['a', place])
    expect(plugins(`{ "plugin": [["${place}", {}]] }`)).toEqual([[place, {}]])
    expect(plugins('{ "plugin": ["dragoman-gateway@1.0.0"] }')).toEqual(['dragoman-gateway@1.0.0'])
    expect(plugins('{ "plugin": [["dragoman-gateway", {}]] }')).toEqual([['dragoman-gateway', {}]])
    expect(plugins('{ "plugin": ["dragoman"] }')).toEqual(['dragoman', place])
  })

  it("keeps a key out of a project's file", () => {
    const made = plan('opencode', {}, { project: true, ...textKey })
    expect(made.files[0]).toMatchObject({ path: '/work/it/opencode.json' })
    expect(made.files[0]?.after).toContain('{env:DRAGOMAN_KEY}')
    expect(made.files[0]?.after).not.toContain(key)
    expect(made.steps.join()).toContain('export DRAGOMAN_KEY=')
  })
})

describe.each(['claude-code', 'codex'] as const)('%s, for a model whose window is not known', (name) => {
  const unknown = { model: { id: 'plain/x' } }

  it('leaves the window of the model before, and says so', () => {
    const { path, after } = fileOf(name)
    const made = plan(name, { [path]: after }, unknown)
    expect(made.files[0]?.after).toContain('200000')
    expect(made.steps.join()).toMatch(/is 200000, as it was before: how much "plain\/x" reads is not known/)
    expect(made.steps.join()).not.toContain('for granted')
  })

  it('says nothing of a window that does not stand there', () => {
    expect(plan(name, {}, unknown).steps.join()).not.toContain('as it was before')
  })
})

describe('claude-code', () => {
  it('sets variables, and a command that reads the key', () => {
    const { after } = fileOf('claude-code')
    expect(parse(after)).toEqual({
      env: {
        ANTHROPIC_BASE_URL: 'http://127.0.0.1:18741',
        ANTHROPIC_MODEL: 'cursor/composer-2',
        ANTHROPIC_DEFAULT_OPUS_MODEL: 'cursor/composer-2',
        ANTHROPIC_DEFAULT_SONNET_MODEL: 'cursor/composer-2',
        ANTHROPIC_DEFAULT_HAIKU_MODEL: 'cursor/composer-2',
        CLAUDE_CODE_MAX_CONTEXT_TOKENS: '200000',
      },
      apiKeyHelper: 'cat ~/.local/share/dragoman/key',
    })
  })

  it('copies no key where the demo came first', () => {
    const demo = fileOf('claude-code', {}, noKey)
    const later = parse(fileOf('claude-code', { [demo.path]: demo.after }).after)
    expect(later.apiKeyHelper).toMatch(/^cat /)
    expect(later.env.ANTHROPIC_AUTH_TOKEN).toBeUndefined()
  })

  it.each([
    ['a token that is there', '{ "env": { "ANTHROPIC_AUTH_TOKEN": "x", "MINE": "y" } }'],
    ["a command of somebody else's", '{ "apiKeyHelper": "vault read it", "env": { "MINE": "y" } }'],
  ])('sets the token, which goes first, beside %s', (_what, text) => {
    const after = parse(fileOf('claude-code', { [homes['claude-code']]: text }).after)
    expect(after.env).toMatchObject({ ANTHROPIC_AUTH_TOKEN: key, MINE: 'y' })
    expect(after.apiKeyHelper).toBe(parse(text).apiKeyHelper)
  })

  it.each(['/tmp/k', '/home/me/my data/dragoman/key'])('copies no key the second time: %s', (name) => {
    const more = { key: { text: key, file: name, needed: true } }
    const { path, after } = fileOf('claude-code', {}, more)
    expect(fileOf('claude-code', { [path]: after }, more).after).toBe(after)
  })

  it("keeps a key out of a project's file", () => {
    const path = '/work/it/.claude/settings.local.json'
    const helper = '{ "apiKeyHelper": "vault read it" }'
    for (const [text, more] of [
      ['', textKey],
      [helper, textKey],
      [helper, {}],
    ] as const) {
      const made = plan('claude-code', { [path]: text }, { project: true, ...more })
      expect(made.files[0]?.after).not.toContain(key)
      expect(made.steps.join()).toContain('export ANTHROPIC_AUTH_TOKEN=')
    }
    const there = { [path]: '{ "env": { "ANTHROPIC_AUTH_TOKEN": "x" } }' }
    expect(() => plan('claude-code', there, { project: true })).toThrow(NotUnderstood)
    expect(fileOf('claude-code', there, { project: true, ...noKey }).after).toContain('"any"')
  })

  it('follows its folder, and the project', () => {
    const variable = (name: string) => (name === 'CLAUDE_CONFIG_DIR' ? '/etc/claude' : undefined)
    expect(fileOf('claude-code', {}, { variable }).path).toBe('/etc/claude/settings.json')
    expect(fileOf('claude-code', {}, { project: true }).path).toBe('/work/it/.claude/settings.local.json')
  })

  it('warns of a key in the shell', () => {
    const variable = (name: string) => (name === 'ANTHROPIC_API_KEY' ? 'sk-x' : undefined)
    expect(plan('claude-code', {}, { variable }).steps.join()).toContain('Unset ANTHROPIC_API_KEY')
  })
})

describe('codex', () => {
  it('has a provider, the default, and a command that reads the key', () => {
    expect(fileOf('codex').after).toBe(`model = "cursor/composer-2"
model_provider = "dragoman"
model_context_window = 200000

[model_providers.dragoman]
name = "Dragoman"
base_url = "http://127.0.0.1:18741/v1"
wire_api = "responses"

[model_providers.dragoman.auth]
command = "cat"
args = ["${keyFile}"]
`)
  })

  it('puts itself before what is there, and shows what it replaces', () => {
    const text = 'model = "gpt-5.5" # best\n\n[mcp_servers.x]\ncommand = "y"\n'
    const { after } = fileOf('codex', { [homes.codex]: text })
    expect(after.startsWith('model = "cursor/composer-2" # best\nmodel_provider = "dragoman"\n')).toBe(true)
    expect(after).toContain('\n[mcp_servers.x]\ncommand = "y"\n')
  })

  it('keeps the way in which the key is given', () => {
    const text = '[model_providers.dragoman]\nenv_key = "MY_KEY"\n'
    const made = plan('codex', { [homes.codex]: text })
    expect(made.files[0]?.after).not.toContain('auth')
    expect(made.steps.join()).toContain('export MY_KEY=$(cat ~/.local/share/dragoman/key)')
    const token = '[model_providers.dragoman]\nexperimental_bearer_token = "old"\n'
    expect(fileOf('codex', { [homes.codex]: token }).after).toContain(`experimental_bearer_token = "${key}"`)
  })

  it.each([
    '[model_providers.dragoman]\nwire_api = "chat"\n',
    'model_providers = { dragoman = { name = "x" } }\n',
    'model = "a"\nmodel = "b"\n',
  ])('leaves alone what it cannot place: %j', (text) => {
    expect(() => plan('codex', { [homes.codex]: text })).toThrow(NotUnderstood)
  })

  it('does not set a second way to give the key', () => {
    const text = '[model_providers.dragoman.auth]\ncommand = "cat"\nargs = ["/k"]\n'
    expect(() => plan('codex', { [homes.codex]: text }, textKey)).toThrow('from another file')
    const own = '[model_providers.dragoman.auth]\ncommand = "vault" # mine\nargs = ["it"]\n'
    for (const more of [textKey, {}]) {
      const { after } = fileOf('codex', { [homes.codex]: own }, more)
      expect(after).toContain(own)
      expect(after).not.toContain(key)
    }
  })
})

describe('qwen-code', () => {
  it('has a model, and the key beside it', () => {
    expect(parse(fileOf('qwen-code').after)).toEqual({
      $version: 4,
      modelProviders: {
        openai: [
          {
            id: 'cursor/composer-2',
            name: 'Dragoman: cursor/composer-2',
            baseUrl: 'http://127.0.0.1:18741/v1',
            envKey: 'DRAGOMAN_KEY',
            generationConfig: { contextWindowSize: 200_000 },
          },
        ],
      },
      env: { DRAGOMAN_KEY: key },
      security: { auth: { selectedType: 'openai' } },
      model: { name: 'cursor/composer-2' },
    })
  })

  it('adds itself behind other models, and puts its own right', () => {
    const text = '{ "modelProviders": { "openai": [ /* mine */ { "id": "a" } ] } }'
    const { path, after } = fileOf('qwen-code', { [homes['qwen-code']]: text })
    expect(after).toContain('/* mine */')
    expect(parse(after).$version).toBeUndefined()
    const moved = parse(fileOf('qwen-code', { [path]: after }, { url: 'http://box:1' }).after)
    expect(moved.modelProviders.openai.map((one: { baseUrl: string }) => one.baseUrl)).toEqual([
      undefined,
      'http://box:1/v1',
    ])
  })

  it("keeps the key out of a project's file", () => {
    const made = plan('qwen-code', {}, { project: true })
    expect(made.files[0]).toMatchObject({ path: '/work/it/.qwen/settings.json' })
    expect(made.files[0]?.after).not.toContain(key)
    expect(made.steps.join()).toContain('export DRAGOMAN_KEY=$(cat ~/.local/share/dragoman/key)')
  })
})

describe('continue', () => {
  it('has a model with the key', () => {
    expect(fileOf('continue').after).toBe(`name: Local
version: 1.0.0
schema: v1
models:
  - name: "Dragoman: cursor/composer-2"
    provider: openai
    model: cursor/composer-2
    apiBase: "http://127.0.0.1:18741/v1"
    apiKey: ${key}
    roles:
      - chat
      - edit
      - apply
    capabilities:
      - tool_use
`)
  })

  it('does not shadow the older file', () => {
    const older = '/home/me/.continue/config.json'
    expect(() => plan('continue', { [older]: '{}' })).toThrow('would no longer read')
  })
})

describe('what is entered by hand', () => {
  it.each(['cursor', 'cline'] as const)('%s: says what, without the key', (name) => {
    const { files, steps } = plan(name)
    expect(files).toEqual([])
    expect(steps.join('\n')).toContain('cursor/composer-2')
    expect(steps.join('\n')).toContain('~/.local/share/dragoman/key')
    expect(steps.join('\n')).not.toContain(key)
  })

  it('cursor needs a public URL, and says so', () => {
    expect(plan('cursor').steps[0]).toContain('A public URL is needed')
    const steps = plan('cursor', {}, { url: 'https://gateway.example' }).steps.join('\n')
    expect(steps).toContain('https://gateway.example/v1')
    expect(steps).not.toContain('A public URL is needed')
  })
})

describe('env', () => {
  it('is for a shell to read', () => {
    expect(plan('env').output).toBe(`export OPENAI_BASE_URL=http://127.0.0.1:18741/v1
export OPENAI_API_KEY="$(cat ~/.local/share/dragoman/key)"
export OPENAI_MODEL=cursor/composer-2
export ANTHROPIC_BASE_URL=http://127.0.0.1:18741
export ANTHROPIC_AUTH_TOKEN="$(cat ~/.local/share/dragoman/key)"
export ANTHROPIC_MODEL=cursor/composer-2
`)
    expect(plan('env', {}, { shell: 'fish' }).output).toContain(
      'set -gx OPENAI_API_KEY (cat ~/.local/share/dragoman/key)\n',
    )
  })

  it("quotes as fish does, where a backslash counts between '", () => {
    const model = { id: "a'b\\" }
    expect(plan('env', {}, { model, shell: 'fish' }).output).toContain(`OPENAI_MODEL 'a\\'b\\\\'\n`)
  })

  it('quotes what a shell would read otherwise, and prints no key', () => {
    const model = { id: "a'b; rm" }
    expect(plan('env', {}, { model, ...textKey }).output).toContain(`OPENAI_MODEL='a'\\''b; rm'\n`)
    expect(plan('env', {}, textKey).output).not.toContain(key)
  })
})

it('every client has a plan', () => {
  expect(Object.keys(setupClients)).toEqual([...setupClientNames])
})
