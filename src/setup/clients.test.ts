// The plans of OpenCode, Qwen Code, Continue and clients without a file: new files, existing files, earlier setups, refusals.

import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { setupClientNames } from './client-names.ts'
import { fileOf, homes, key, noKey, plan, textKey, written } from './client-plans.fixture.ts'
import { setupClients } from './clients.ts'
import { NotUnderstood } from './plan.ts'

describe.each(written)('%s', (name) => {
  it("creates the user's file", () => {
    const { path, before } = fileOf(name)
    expect({ path, before }).toEqual({ path: homes[name], before: undefined })
  })

  it('changes nothing the second time', () => {
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

  it('refuses a file that it cannot parse', () => {
    const broken = name === 'continue' ? 'models: {\n' : '{ "half": '
    expect(() => plan(name, { [homes[name]]: broken })).toThrow(NotUnderstood)
  })
})

describe('opencode', () => {
  it('writes a provider with every model, and the path of the key file', () => {
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

  it('keeps comments, other providers and settings of models', () => {
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
    expect(plugins('{ "plugins": [{ "package": "dragoman-gateway@1.0.0" }] }')).toBeUndefined()
  })

  it.each([
    ['', undefined],
    ['cursor/composer-2', 'dragoman/cursor/composer-2'],
    ['dragoman-cursor/composer-2', 'dragoman-cursor/composer-2'],
    ['dragoman/best', 'dragoman/best'],
  ])('names the model for the plugin: %s', (id, expected) => {
    const place = 'file:///opt/dragoman'
    for (const text of ['', `{ "plugin": ["${place}"] }`]) {
      const { after } = fileOf('opencode', { [homes.opencode]: text }, { plugin: place, model: { id } })
      expect(parse(after)).toMatchObject({ plugin: [place] })
      expect(parse(after).model).toBe(expected)
    }
  })

  it('a model that reads images says so, in an entry of an earlier set-up too', () => {
    const model = { id: 'a/b', contextTokens: 1000, images: true }
    const models = [model, { id: 'c', images: false }, { id: 'd' }]
    const expected = { attachment: true, modalities: { input: ['text', 'image'], output: ['text'] } }
    const { after } = fileOf('opencode', {}, { model, models })
    expect(parse(after).provider.dragoman.models).toEqual({
      'a/b': { tool_call: true, ...expected, limit: { context: 1000, output: 500 } },
      c: { tool_call: true },
      d: { tool_call: true },
    })
    const entry = { tool_call: true, attachment: false, limit: { context: 9, output: 9 } }
    const earlier = JSON.stringify({ provider: { dragoman: { models: { 'a/b': entry } } } })
    const again = fileOf('opencode', { [homes.opencode]: earlier }, { model, models: [model] }).after
    expect(parse(again).provider.dragoman.models['a/b']).toEqual({ ...expected, ...entry })
  })

  it("keeps a key out of a project's file", () => {
    const made = plan('opencode', {}, { project: true, ...textKey })
    expect(made.files[0]).toMatchObject({ path: '/work/it/opencode.json' })
    expect(made.files[0]?.after).toContain('{env:DRAGOMAN_KEY}')
    expect(made.files[0]?.after).not.toContain(key)
    expect(made.steps.join()).toContain('export DRAGOMAN_KEY=')
  })
})

describe('qwen-code', () => {
  it('writes a model with the key beside it', () => {
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

  it('appends its model to others and corrects its own', () => {
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
  it('writes a model with the key', () => {
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
    defaultCompletionOptions:
      contextLength: 200000
`)
  })

  it('puts its model before the others: the command uses the first', () => {
    const text = 'models:\n  - name: mine\n    provider: x\n'
    const { after } = fileOf('continue', { [homes.continue]: text })
    expect(after).toMatch(/^models:\n {2}- name: "Dragoman: [\s\S]*\n {2}- name: mine\n {4}provider: x\n$/)
  })

  it('does not shadow the older file', () => {
    const older = '/home/me/.continue/config.json'
    expect(() => plan('continue', { [older]: '{}' })).toThrow('would no longer read')
  })
})

describe('clients without a file', () => {
  it.each(['cursor', 'cline'] as const)('%s: lists the steps without the key', (name) => {
    const { files, steps } = plan(name)
    expect(files).toHaveLength(name === 'cline' ? 1 : 0)
    expect(steps.join('\n')).toContain('cursor/composer-2')
    expect(steps.join('\n')).toContain('~/.local/share/dragoman/key')
    expect(steps.join('\n')).not.toContain(key)
  })

  it('cursor: says that it needs a public URL', () => {
    expect(plan('cursor').steps[0]).toContain('A public URL is needed')
    const steps = plan('cursor', {}, { url: 'https://gateway.example' }).steps.join('\n')
    expect(steps).toContain('https://gateway.example/v1')
    expect(steps).not.toContain('A public URL is needed')
  })
})

describe('env', () => {
  it('prints shell commands', () => {
    expect(plan('env').output).toBe(`export OPENAI_BASE_URL=http://127.0.0.1:18741/v1
export OPENAI_API_KEY="$(cat ~/.local/share/dragoman/key)"
export OPENAI_MODEL=cursor/composer-2
export ANTHROPIC_BASE_URL=http://127.0.0.1:18741
export ANTHROPIC_AUTH_TOKEN="$(cat ~/.local/share/dragoman/key)"
export ANTHROPIC_MODEL=cursor/composer-2
export ANTHROPIC_DEFAULT_OPUS_MODEL=cursor/composer-2
export ANTHROPIC_DEFAULT_SONNET_MODEL=cursor/composer-2
export ANTHROPIC_DEFAULT_HAIKU_MODEL=cursor/composer-2
export CLAUDE_CODE_MAX_CONTEXT_TOKENS=200000
`)
    expect(plan('env', {}, { shell: 'fish' }).output).toContain(
      'set -gx OPENAI_API_KEY (cat ~/.local/share/dragoman/key)\n',
    )
  })

  it('quotes for fish, where a backslash is special inside single quotes', () => {
    const model = { id: "a'b\\" }
    expect(plan('env', {}, { model, shell: 'fish' }).output).toContain(`OPENAI_MODEL 'a\\'b\\\\'\n`)
  })

  it('quotes special characters and prints no key', () => {
    const model = { id: "a'b; rm" }
    expect(plan('env', {}, { model, ...textKey }).output).toContain(`OPENAI_MODEL='a'\\''b; rm'\n`)
    expect(plan('env', {}, textKey).output).not.toContain(key)
  })
})

it('every client has a plan', () => {
  expect(Object.keys(setupClients)).toEqual([...setupClientNames])
})
