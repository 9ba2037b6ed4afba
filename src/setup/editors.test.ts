// The plans of Zed, VS Code and Goose.

import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { fileOf, homes, key, keyFile, noKey, plan, textKey } from './client-plans.fixture.ts'
import { NotUnderstood } from './plan.ts'

const url = 'http://127.0.0.1:18741'

describe('zed', () => {
  it('writes a provider with every model, and the choice', () => {
    const settings = parse(fileOf('zed').after)
    expect(settings.agent.default_model).toEqual({ provider: 'dragoman', model: 'cursor/composer-2' })
    const { api_url, available_models: models } = settings.language_models.openai_compatible.dragoman
    expect(api_url).toBe(`${url}/v1`)
    expect(models[0]).toEqual({
      name: 'cursor/composer-2',
      max_tokens: 200_000,
      capabilities: { tools: true, images: false, parallel_tool_calls: true },
    })
    expect(models).toHaveLength(3)
  })

  it('writes no key, and says where it goes', () => {
    for (const more of [{}, textKey]) {
      expect(fileOf('zed', {}, more).after).not.toContain(key)
      expect(plan('zed', {}, more).steps.join()).toContain('DRAGOMAN_API_KEY')
    }
    expect(plan('zed').steps.join()).toContain('~/.local/share/dragoman/key')
    expect(plan('zed', {}, noKey).steps.join()).toContain('any key')
  })

  it('leaves a provider of another form alone', () => {
    const text = '{"language_models":{"openai_compatible":{"dragoman":1}}}'
    expect(() => fileOf('zed', { [homes.zed]: text })).toThrow(NotUnderstood)
  })
})

describe('vscode', () => {
  it('gives the steps, with the models to paste and without the key', () => {
    const { files, steps } = plan('vscode')
    const text = steps.join('\n')
    expect(files).toEqual([])
    expect(text).toContain('Custom Endpoint')
    expect(text).toContain('~/.local/share/dragoman/key')
    expect(text).not.toContain(key)
    const models = JSON.parse(text.slice(text.indexOf('\n[') + 1, text.lastIndexOf(']') + 1))
    expect(models[0]).toMatchObject({
      ...{ id: 'cursor/composer-2', url: `${url}/v1/chat/completions`, toolCalling: true },
      ...{ maxInputTokens: 184_000, maxOutputTokens: 16_000 },
    })
  })
})

describe('goose', () => {
  it('prints variables, and a command that reads the key', () => {
    expect(plan('goose').output).toBe(`export GOOSE_PROVIDER=openai
export GOOSE_MODEL=cursor/composer-2
export OPENAI_HOST=${url}
export OPENAI_BASE_PATH=v1/chat/completions
export GOOSE_CONTEXT_LIMIT=200000
export OPENAI_API_KEY="$(cat ~/.local/share/dragoman/key)"
`)
    expect(keyFile).toContain('.local/share/dragoman/key')
    expect(plan('goose', {}, { shell: 'fish' }).output).toContain(
      'set -gx OPENAI_API_KEY (cat ~/.local/share/dragoman/key)\n',
    )
  })

  it('prints no key', () => {
    const { output = '' } = plan('goose', {}, textKey)
    expect(output).toContain('OPENAI_API_KEY="$DRAGOMAN_KEY"\n')
    expect(output).not.toContain(key)
  })
})
