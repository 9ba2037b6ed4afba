// The plans of Claude Code and Codex.

import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { fileOf, homes, key, keyFile, noKey, plan, textKey } from './client-plans.fixture.ts'
import { NotUnderstood } from './plan.ts'

describe.each(['claude-code', 'codex'] as const)('%s, for a model whose window is not known', (name) => {
  const unknown = { model: { id: 'plain/x' } }

  it('keeps the context window of the earlier model, and says so', () => {
    const { path, after } = fileOf(name)
    // Codex has it from its catalogue; users of earlier versions have it in the file.
    const was = name === 'codex' ? `model_context_window = 200000\n${after}` : after
    const made = plan(name, { [path]: was }, unknown)
    expect(made.files.at(-1)?.after).toContain('200000')
    expect(made.steps.join()).toMatch(/is 200000, as it was before: how much "plain\/x" reads is not known/)
    expect(made.steps.join()).not.toContain('for granted')
  })

  it('says nothing without a context window', () => {
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
        CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: '1',
      },
      apiKeyHelper: 'cat ~/.local/share/dragoman/key',
    })
  })

  it('omits the attribution for models of others, if the gateway says whose they are', () => {
    const attribution = (ownedBy?: string) =>
      parse(fileOf('claude-code', {}, { model: { id: 'x/y', ownedBy } }).after).env
        .CLAUDE_CODE_ATTRIBUTION_HEADER
    expect([attribution(), attribution('anthropic'), attribution('box')]).toEqual([undefined, undefined, '0'])
  })

  it('takes out comments and trailing commas, with which Claude Code ignores the file, and says so', () => {
    const text = '{\n  // mine\n  "theme": "dark",\n}\n'
    const made = plan('claude-code', { [homes['claude-code']]: text })
    const after = made.files[0]?.after ?? ''
    expect(JSON.parse(after)).toMatchObject({ theme: 'dark', env: {} })
    expect(made.steps.join()).toContain('--undo brings them back')
    const again = plan('claude-code', { [homes['claude-code']]: after })
    expect(again.steps.join()).not.toContain('comments')
    expect(again.files[0]?.after).toBe(after)
  })

  it('copies no key after a setup for the demo', () => {
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
  it('writes a provider, selects it, and sets a command that reads the key', () => {
    expect(fileOf('codex').after).toBe(`model = "cursor/composer-2"
model_provider = "dragoman"
model_catalog_json = "/home/me/.codex/dragoman-models.json"

[model_providers.dragoman]
name = "Dragoman"
base_url = "http://127.0.0.1:18741/v1"
wire_api = "responses"

[model_providers.dragoman.auth]
command = "cat"
args = ["${keyFile}"]
`)
  })

  it('writes a catalogue of all models beside it, before the file that names it', () => {
    const [catalogue, config] = plan('codex').files
    expect(catalogue?.path).toBe('/home/me/.codex/dragoman-models.json')
    expect(config?.after).toContain(JSON.stringify(catalogue?.path))
    const { models } = JSON.parse(catalogue?.after ?? '')
    expect(models).toMatchObject([
      { slug: 'cursor/composer-2', context_window: 200_000, priority: 1 },
      { slug: 'best', priority: 2 },
      { slug: 'claude/opus', context_window: 1000, auto_compact_token_limit: 900 },
    ])
    expect(catalogue?.summary).toBe('3 models: cursor/composer-2, best, claude/opus')
  })

  it('corrects a context window that is there, which overrides the catalogue', () => {
    const { after } = fileOf('codex', { [homes.codex]: 'model_context_window = 7\n' })
    expect(after).toContain('model_context_window = 200000\n')
  })

  it('writes the catalogue anew when the models changed', () => {
    const [first] = plan('codex').files
    const there = { [first?.path ?? '']: first?.after ?? '' }
    const same = plan('codex', there).files[0]
    expect(same?.after).toBe(same?.before)
    const [changed] = plan('codex', there, { models: [{ id: 'new/one' }] }).files
    expect(changed?.after).not.toBe(changed?.before)
    expect(changed?.after).toContain('"new/one"')
  })

  it('puts itself first and shows what it replaces', () => {
    const text = 'model = "gpt-5.5" # best\n\n[mcp_servers.x]\ncommand = "y"\n'
    const { after } = fileOf('codex', { [homes.codex]: text })
    expect(after.startsWith('model = "cursor/composer-2" # best\nmodel_provider = "dragoman"\n')).toBe(true)
    expect(after).toContain('\n[mcp_servers.x]\ncommand = "y"\n')
  })

  it('keeps an existing way to pass the key', () => {
    const text = '[model_providers.dragoman]\nenv_key = "MY_KEY"\n'
    const made = plan('codex', { [homes.codex]: text })
    expect(made.files.at(-1)?.after).not.toContain('auth')
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

  it('does not add a second way to pass the key', () => {
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
