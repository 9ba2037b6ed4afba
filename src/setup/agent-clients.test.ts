// The plans of Cline, Copilot CLI, Kimi, pi, Kilo, both Groks and Crush: files as their programs read them.

import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { fileOf, homes, key, keyFile, noKey, plan, textKey } from './client-plans.fixture.ts'
import { NotUnderstood } from './plan.ts'

const url = 'http://127.0.0.1:18741/v1'

describe('cline', () => {
  it('writes the entry of `cline auth`', () => {
    expect(parse(fileOf('cline').after)).toEqual({
      version: 1,
      lastUsedProvider: 'openai-compatible',
      modes: {},
      providers: {
        'openai-compatible': {
          settings: { provider: 'openai-compatible', apiKey: key, model: 'cursor/composer-2', baseUrl: url },
          updatedAt: expect.any(String),
          tokenSource: 'manual',
        },
      },
    })
  })

  it('leaves other providers and its own time alone', () => {
    const entry = { settings: { model: 'x', timeout: 5 }, updatedAt: 'then', tokenSource: 'manual' }
    const text = JSON.stringify({ version: 1, providers: { a: { b: 1 }, 'openai-compatible': entry } })
    const { providers } = parse(fileOf('cline', { [homes.cline]: text }).after)
    expect(providers.a).toEqual({ b: 1 })
    expect(providers['openai-compatible']).toMatchObject({ settings: { timeout: 5 }, updatedAt: 'then' })
  })

  it.each([
    ['CLINE_DIR', '/c', '/c/data/settings/providers.json'],
    ['CLINE_DATA_DIR', '/d', '/d/settings/providers.json'],
    ['CLINE_PROVIDER_SETTINGS_PATH', '/e.json', '/e.json'],
  ])('follows %s', (variable, value, path) => {
    const variables = { variable: (name: string) => (name === variable ? value : undefined) }
    expect(fileOf('cline', {}, variables).path).toBe(path)
  })
})

describe('copilot', () => {
  it('prints variables, and a command that reads the key', () => {
    expect(plan('copilot').output).toBe(`export COPILOT_PROVIDER_TYPE=openai
export COPILOT_PROVIDER_BASE_URL=${url}
export COPILOT_PROVIDER_WIRE_API=completions
export COPILOT_PROVIDER_API_KEY_COMMAND='cat ~/.local/share/dragoman/key'
export COPILOT_MODEL=cursor/composer-2
export COPILOT_PROVIDER_MAX_PROMPT_TOKENS=200000
`)
    expect(plan('copilot', {}, { shell: 'fish' }).output).toContain(
      'set -gx COPILOT_MODEL cursor/composer-2\n',
    )
  })

  it('prints no key', () => {
    expect(plan('copilot', {}, textKey).output).toContain('COPILOT_PROVIDER_API_KEY="$DRAGOMAN_KEY"\n')
    expect(plan('copilot', {}, textKey).output).not.toContain(key)
    expect(plan('copilot', {}, noKey).output).toContain('COPILOT_PROVIDER_API_KEY=any\n')
  })
})

describe('kimi', () => {
  it('writes a provider, a model and the choice', () => {
    expect(fileOf('kimi').after).toBe(`default_model = "dragoman"

[providers.dragoman]
type = "openai"
base_url = "${url}"
api_key = "${key}"

[models.dragoman]
provider = "dragoman"
model = "cursor/composer-2"
max_context_size = 200000
`)
  })

  it('keeps the name of a variable, which excludes a key', () => {
    const text = '[providers.dragoman]\ntype = "openai_responses"\napi_key_env = "MY_KEY"\n'
    const made = plan('kimi', { [homes.kimi]: text })
    expect(made.files[0]?.after).toContain('type = "openai_responses"')
    expect(made.files[0]?.after).not.toContain('api_key =')
    expect(made.steps.join()).toContain('export MY_KEY=$(cat ')
  })

  it('says that a window is a guess', () => {
    expect(plan('kimi', {}, { model: { id: 'best' } }).steps.join()).toContain('max_context_size is 128000')
  })

  it('leaves another provider of that name alone', () => {
    const text = '[providers.dragoman]\ntype = "google"\n'
    expect(() => plan('kimi', { [homes.kimi]: text })).toThrow(NotUnderstood)
  })
})

describe('pi', () => {
  it('writes a provider with every model, a command for the key, and the choice', () => {
    const [models, settings] = plan('pi').files
    expect(parse(models?.after ?? '')).toEqual({
      providers: {
        dragoman: {
          baseUrl: url,
          api: 'openai-completions',
          apiKey: '!cat ~/.local/share/dragoman/key',
          models: [
            { id: 'cursor/composer-2', contextWindow: 200_000 },
            { id: 'best' },
            { id: 'claude/opus', contextWindow: 1000, maxTokens: 100 },
          ],
        },
      },
    })
    expect(settings?.path).toBe('/home/me/.pi/agent/settings.json')
    expect(parse(settings?.after ?? '')).toEqual({
      defaultProvider: 'dragoman',
      defaultModel: 'cursor/composer-2',
    })
  })

  it('adds only models that are missing, and keeps the API', () => {
    const text = JSON.stringify({
      providers: { dragoman: { api: 'openai-responses', models: [{ id: 'best', x: 1 }] } },
    })
    const { dragoman } = parse(fileOf('pi', { [homes.pi]: text }).after).providers
    expect(dragoman.api).toBe('openai-responses')
    expect(dragoman.models.map(({ id }: { id: string }) => id)).toEqual([
      'best',
      'cursor/composer-2',
      'claude/opus',
    ])
    expect(dragoman.models[0]).toEqual({ id: 'best', x: 1 })
  })

  it('leaves another provider of that name alone', () => {
    const text = '{ "providers": { "dragoman": { "baseUrl": "https://other.example/api" } } }'
    expect(() => plan('pi', { [homes.pi]: text })).toThrow(NotUnderstood)
  })
})

describe('kilo', () => {
  it("writes OpenCode's provider into its own file", () => {
    const { provider, model } = parse(fileOf('kilo').after)
    expect(provider.dragoman.options).toEqual({ baseURL: url, apiKey: '{file:~/.local/share/dragoman/key}' })
    expect(model).toBe('dragoman/cursor/composer-2')
    expect(fileOf('kilo', {}, { project: true }).path).toBe('/work/it/kilo.json')
    expect(fileOf('kilo', { '/home/me/.config/kilo/kilo.jsonc': '{}' }).path).toMatch(/jsonc$/)
  })
})

describe('grok', () => {
  it("writes a model for xAI's own, for answers and for titles", () => {
    expect(fileOf('grok-build').after).toBe(`[models]
default = "dragoman"
session_summary = "dragoman"

[model.dragoman]
name = "Dragoman"
model = "cursor/composer-2"
base_url = "${url}"
api_backend = "chat_completions"
api_key = "${key}"
context_window = 200000
`)
  })

  it('keeps a variable and the API', () => {
    const text = '[model.dragoman]\nenv_key = "K"\napi_backend = "responses"\n'
    const made = plan('grok-build', { [homes['grok-build']]: text })
    expect(made.files[0]?.after).toContain('api_backend = "responses"')
    expect(made.files[0]?.after).not.toContain('api_key')
    expect(made.steps.join()).toContain('export K=')
  })

  it('writes the settings of grok-cli, and starts it with the model', () => {
    const made = plan('grok-cli')
    expect(parse(made.files[0]?.after ?? '')).toEqual({
      apiKey: key,
      baseURL: url,
      defaultModel: 'cursor/composer-2',
      models: ['cursor/composer-2'],
    })
    expect(made.start).toBe('grok -m cursor/composer-2')
  })
})

describe('crush', () => {
  it('writes a provider with every model and sizes, a command for the key, and both choices', () => {
    const { providers, models } = parse(fileOf('crush').after)
    expect(providers.dragoman).toMatchObject({
      type: 'openai-compat',
      base_url: url,
      api_key: '$(cat ~/.local/share/dragoman/key)',
    })
    expect(providers.dragoman.models).toEqual([
      {
        id: 'cursor/composer-2',
        name: 'cursor/composer-2',
        context_window: 200_000,
        default_max_tokens: 16_000,
      },
      { id: 'best', name: 'best', context_window: 128_000, default_max_tokens: 16_000 },
      { id: 'claude/opus', name: 'claude/opus', context_window: 1000, default_max_tokens: 100 },
    ])
    const chosen = { provider: 'dragoman', model: 'cursor/composer-2' }
    expect(models).toEqual({ large: chosen, small: chosen })
  })

  it("keeps a key out of a project's file", () => {
    const made = plan('crush', { '/work/it/.crush.json': '{}' }, { project: true, ...textKey })
    expect(made.files[0]).toMatchObject({ path: '/work/it/.crush.json' })
    expect(made.files[0]?.after).toContain('"$DRAGOMAN_KEY"')
    expect(made.files[0]?.after).not.toContain(key)
    expect(made.steps.join()).toContain('export DRAGOMAN_KEY=')
  })

  it('leaves another provider of that name alone', () => {
    const text = '{ "providers": { "dragoman": { "type": "anthropic" } } }'
    expect(() => plan('crush', { [homes.crush]: text })).toThrow(NotUnderstood)
  })
})

it('the key is copied only where a program cannot run a command for it', () => {
  for (const name of ['pi', 'kilo', 'crush'] as const) {
    expect(fileOf(name).after).not.toContain(key)
    expect(fileOf(name).after).toContain(keyFile.slice('/home/me/'.length))
  }
})
