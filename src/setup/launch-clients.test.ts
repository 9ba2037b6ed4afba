// The sessions of all clients: where each is pointed, that the user's own settings stay in what it reads, and where the key is.

import { dirname } from 'node:path'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { type LaunchClientName, launchClientNames } from './client-names.ts'
import { factsFor, homes, key, textKey } from './client-plans.fixture.ts'
import { launchClients } from './launch-clients.ts'
import type { Facts } from './plan.ts'

const folder = '/tmp/session'
const url = 'http://127.0.0.1:18741'
const model = 'cursor/composer-2'
const gemini = '/home/me/.gemini/settings.json'

const session = (name: LaunchClientName, files: Record<string, string> = {}, more: Partial<Facts> = {}) =>
  launchClients[name].session(factsFor(files, { ...textKey, ...more }), folder)

const given = (values: Record<string, string>) => ({ variable: (name: string) => values[name] })

it('every client has one', () => {
  expect(Object.keys(launchClients)).toEqual(launchClientNames)
})

describe.each(launchClientNames)('%s', (name) => {
  const { args = [], files = {}, variables = {} } = session(name)
  const all = JSON.stringify({ args, files, variables })

  it('is told the address, the model and the key', () => {
    expect(all).toContain(url)
    expect(all).toContain(model)
    expect(all).toContain(key)
  })

  it('has no key among its arguments, which every user of the machine sees', () => {
    expect(args.join(' ')).not.toContain(key)
  })

  it('names each of its files by an argument or a variable', () => {
    const named = [...args, ...Object.values(variables)].join('\n')
    for (const path of Object.keys(files)) expect(named).toContain(`${folder}/${path.split('/')[0]}`)
  })
})

describe("the user's own", () => {
  it('settings of Claude Code stay: a file of the command line is read above them', () => {
    const { args, files, variables } = session('claude-code', { [homes['claude-code']]: '{"model":"x"}' })
    expect(args).toEqual(['--settings', `${folder}/claude-settings.json`])
    expect(parse(files?.['claude-settings.json'] ?? '')).toEqual({
      env: expect.objectContaining({ ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: key }),
    })
    expect(variables).toEqual({ ANTHROPIC_API_KEY: undefined })
  })

  it('configuration of Codex stays: every setting is an argument, and the provider has a name of its own', () => {
    const mine = { [homes.codex]: 'model_context_window = 5\n' }
    const { args = [], variables } = session('codex', mine)
    expect(args.filter((_arg, at) => at % 2 === 0)).toEqual(args.filter((arg) => arg === '-c'))
    expect(args).toContain('model_providers.dragoman-session.base_url="http://127.0.0.1:18741/v1"')
    expect(args).toContain('model_context_window=200000')
    expect(variables).toEqual({ DRAGOMAN_SESSION_KEY: key })
    expect(session('codex').args?.join()).not.toContain('model_context_window')
  })

  it.each([
    ['opencode', 'OPENCODE_CONFIG_CONTENT'],
    ['kilo', 'KILO_CONFIG_CONTENT'],
  ] as const)('content for %s is extended', (name, variable) => {
    const { variables } = session(name, {}, given({ [variable]: '{"theme":"dark"}' }))
    expect(parse(variables?.[variable] ?? '')).toMatchObject({
      theme: 'dark',
      model: `dragoman/${model}`,
      provider: { dragoman: { options: { baseURL: `${url}/v1`, apiKey: key } } },
    })
  })

  it('settings of the system are extended for Qwen Code, at their place or at that of the variable', () => {
    const name = 'QWEN_CODE_SYSTEM_SETTINGS_PATH'
    const text = '{"ui":{"theme":"x"}}'
    for (const [path, more] of [
      ['/etc/qwen-code/settings.json', {}],
      ['/mine.json', given({ [name]: '/mine.json' })],
    ] as const) {
      const { files, variables } = session('qwen-code', { [path]: text }, more)
      const settings = parse(files?.['qwen-settings.json'] ?? '')
      expect(settings).toMatchObject({ ui: { theme: 'x' }, model: { name: model } })
      expect(variables?.[name]).toBe(`${folder}/qwen-settings.json`)
    }
  })

  it.each([
    ['pi', homes.pi, 'pi/models.json', '{"providers":{"mine":{}}}', '/home/me/.pi/agent'],
    ['grok-build', homes['grok-build'], 'grok/config.toml', '[ui]\nmine = 1\n', '/home/me/.grok'],
    ['crush', homes.crush, 'crush/crush.json', '{"mcp":{"mine":{}}}', '/home/me/.config/crush'],
    ['gemini-cli', gemini, 'gemini/.gemini/settings.json', '{"mine":1}', '/home/me/.gemini'],
  ] as const)('folder of %s is mirrored, its files are copies', (name, path, file, text, of) => {
    const { files, mirrors } = session(name, { [path]: text })
    expect(files?.[file]).toContain('mine')
    expect(files?.[file]).toContain(model)
    expect(mirrors).toEqual([{ of, at: dirname(file) }])
  })

  it.each([
    ['cline', homes.cline, 'cline-providers.json', '{"providers":{"mine":{}}}'],
    ['continue', homes.continue, 'continue.yaml', 'name: mine\nversion: 1\nmodels:\n- name: a\n'],
  ] as const)('file of %s is copied', (name, path, file, text) => {
    expect(session(name, { [path]: text }).files?.[file]).toContain('mine')
  })

  it('variable for the key of grok is honoured', () => {
    const text = '[model.dragoman]\nenv_key = "MY_KEY"\n'
    const { variables, files } = session('grok-build', { [homes['grok-build']]: text })
    expect(variables).toMatchObject({ MY_KEY: key })
    expect(files?.['grok/config.toml']).not.toContain(key)
  })
})

it('the two programs called grok are told apart', () => {
  const community = '/usr/lib/node_modules/@vibe-kit/grok-cli/dist/index.js'
  expect(launchClients['grok-cli'].isAt?.(community)).toBe(true)
  expect(launchClients['grok-build'].isAt?.(community)).toBe(false)
  expect(launchClients['grok-build'].isAt?.('/home/me/.grok/bin/grok-1.0.41')).toBe(true)
})
