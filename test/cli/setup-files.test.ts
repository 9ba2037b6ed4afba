// `dragoman setup`: without a gateway, by the plugin, its files, and at a terminal.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { parse } from 'jsonc-parser'
import { beforeAll, describe, expect, it } from 'vitest'
import { deadPort, Home, listen, type Running } from './program.ts'

import { files, run, text } from './setup-run.ts'

let demo: Running
beforeAll(async () => {
  demo = await new Home().start(['demo', '--port', '0'])
})

const model = 'demo-anthropic/claude-demo'

describe('without a gateway', () => {
  it('and without a configuration, a model has to be named', async () => {
    const home = new Home()
    const url = `http://127.0.0.1:${await deadPort()}`
    const none = await run(home, ['claude-code', '--url', url, '--yes'])
    expect(none.code).toBe(2)
    expect(none.stderr).toContain('--model')
    const named = await run(home, ['claude-code', '--url', url, '--yes', '--model', 'a/b'])
    expect(named.code).toBe(0)
    expect(named.stderr).toContain('No gateway runs')
    // The key that the gateway will ask for is made here.
    expect(existsSync(home.keyFile)).toBe(true)
  })

  it('another program at its address is not mistaken for it', async () => {
    const home = new Home()
    const port = await listen(createServer((_request, response) => response.writeHead(404).end('{}')))
    const { code, stderr } = await run(home, ['env', '--url', `http://127.0.0.1:${port}`])
    expect(code).toBe(1)
    expect(stderr).toContain('is not this gateway')
  })
})

it('opencode by the plugin asks no gateway and makes no key', async () => {
  const home = new Home()
  const { code, output } = await run(home, ['opencode', '--plugin', '--yes'])
  expect(code).toBe(0)
  expect(output).toContain('+   "plugin": [')
  const [place] = parse(text(home, files.opencode)).plugin
  expect(existsSync(new URL('package.json', `${place}/`))).toBe(true)
  expect(existsSync(home.keyFile)).toBe(false)
  expect(await run(home, ['opencode', '--undo'])).toMatchObject({ code: 0 })
  expect(existsSync(home.path('config', 'opencode'))).toBe(false)
})

it('opencode by the plugin has the model that is named, without a word about a gateway', async () => {
  const home = new Home()
  const args = ['opencode', '--plugin', '--model', 'dragoman-cursor/composer-2', '--yes']
  const { code, stderr } = await run(home, args)
  expect(code).toBe(0)
  expect(stderr).toContain('OpenCode, by the plugin, model dragoman-cursor/composer-2')
  expect(stderr).not.toMatch(/warning|gateway does not list/)
  expect(parse(text(home, files.opencode)).model).toBe('dragoman-cursor/composer-2')
})

it.each(Object.keys(files))('--print of %s shows everything but the key', async (client) => {
  const { stdout } = await run(new Home(), [client, '--url', demo.url, '--print'])
  expect(stdout).not.toContain('…')
})

describe('files', () => {
  it('that cannot be read are a message, not a crash', async () => {
    const home = new Home()
    home.write('.codex/config.toml/inside', '')
    const { code, stderr } = await run(home, ['codex', '--url', demo.url, '--yes'])
    expect(code).toBe(1)
    expect(stderr).toContain('EISDIR')
  })

  it('of a project are written there and undone there', async () => {
    const home = new Home()
    const args = ['setup', 'opencode', '--url', demo.url, '--project']
    expect(await home.run([...args, '--yes'])).toMatchObject({ code: 0 })
    expect(text(home, 'work/opencode.json')).toContain('dragoman')
    const elsewhere = await home.run(['setup', 'opencode', '--undo'])
    expect(elsewhere.stderr).toContain('--project')
    expect(await home.run([...args, '--undo'])).toMatchObject({ code: 0 })
    expect(existsSync(home.path('work/opencode.json'))).toBe(false)
  })

  it('behind a symbolic link are written at their real place', async () => {
    const home = new Home()
    home.write('dotfiles/settings.json', '{}')
    home.write('.claude/x', '')
    symlinkSync(home.path('dotfiles/settings.json'), home.path('.claude/settings.json'))
    const { stdout } = await run(home, ['claude-code', '--url', demo.url, '--yes'])
    expect(stdout).toContain('~/dotfiles/settings.json')
    expect(text(home, 'dotfiles/settings.json')).toContain('ANTHROPIC_BASE_URL')
    await run(home, ['claude-code', '--undo'])
    expect(text(home, 'dotfiles/settings.json')).toBe('{}')
  })

  it('that the client changed since lose only what setup added', async () => {
    const home = new Home()
    home.write('.codex/config.toml', 'a = 1\n')
    await run(home, ['codex', '--url', demo.url, '--yes'])
    const trust = '\n[projects."/x"]\ntrust_level = "trusted"\n'
    home.write('.codex/config.toml', text(home, '.codex/config.toml') + trust)
    const asked = await run(home, ['codex', '--undo'])
    expect(asked.code).toBe(2)
    expect(asked.stdout).toContain('- [model_providers.dragoman]')
    expect(await run(home, ['codex', '--undo', '--yes'])).toMatchObject({ code: 0 })
    expect(text(home, '.codex/config.toml')).toBe(`a = 1\n${trust}`)
  })

  it('that were changed in the same places are left, and the backup is named', async () => {
    const home = new Home()
    home.write('.codex/config.toml', 'model = "gpt"\n')
    await run(home, ['codex', '--url', demo.url, '--yes'])
    const changed = text(home, '.codex/config.toml').replace(/model = .*/, 'model = "mine"')
    home.write('.codex/config.toml', changed)
    const { code, stdout, stderr } = await run(home, ['codex', '--undo', '--yes'])
    expect(code).toBe(1)
    expect(stdout).toContain('+ model = "mine"')
    expect(text(home, '.codex/config.toml')).toBe(changed)
    const backup = /it is in (\S+);/.exec(stderr)?.[1] ?? ''
    expect(readFileSync(backup, 'utf8')).toBe('model = "gpt"\n')
  })
})

it('as a program: shown on standard output, said on the other', async () => {
  const home = new Home()
  const args = ['setup', 'codex', '--url', demo.url, '--model', model]
  const shown = await home.run(args)
  expect(shown.code).toBe(2)
  expect(shown.stdout).toContain('+ model = ')
  expect(shown.stderr).toContain('Confirm with --yes')
  expect(await home.run([...args, '--yes'])).toMatchObject({ code: 0 })
  expect(await home.run(['setup', 'codex', '--undo'])).toMatchObject({ code: 0, stdout: '' })
})

it('env is for eval', async () => {
  const home = new Home()
  const { stdout, code } = await home.run([
    'setup',
    'env',
    '--url',
    demo.url,
    '--model',
    model,
    '--shell',
    'sh',
  ])
  expect(code).toBe(0)
  const seen = execFileSync('sh', [
    '-c',
    `${stdout}\necho "$OPENAI_BASE_URL $OPENAI_MODEL $ANTHROPIC_BASE_URL"`,
  ])
  expect(String(seen)).toBe(`${demo.url}/v1 ${model} ${demo.url}\n`)
})

it.each([
  [['codex', '--project'], 'leave out --project'],
  [['codex', '--plugin'], 'leave out --plugin'],
  [['codex', '--shell', 'fish'], '`setup env`, `setup copilot`'],
  [['codex', '--undo', '--print'], 'cannot be combined'],
  [['vim'], 'Allowed choices are opencode'],
  [['codex', '--url', 'nowhere'], 'http://'],
])('%j: the mistake is named', async (args, expected) => {
  const { code, stderr } = await new Home().run(['setup', ...args])
  expect(code).toBe(2)
  expect(stderr).toContain(expected)
})

describe('at a terminal', () => {
  const at = async (answers: string[], args: readonly string[]) => {
    const home = new Home()
    const left = [...answers]
    const ended = await run(home, [...args, '--url', demo.url], { answers: left })
    return { home, left, ...ended }
  }

  it('asks for the model and for leave', async () => {
    const { home, code, stderr } = await at(['99', '2', 'y'], ['claude-code'])
    expect(code).toBe(0)
    const second = /^ {2}2 {2}(\S+)$/m.exec(stderr)?.[1]
    expect(parse(text(home, '.claude/settings.json')).env.ANTHROPIC_MODEL).toBe(second)
    expect(stderr).toContain('A number from 1 to')
    expect(stderr).toContain('Write this? [y/N] ')
  })

  it.each(['', 'n', 'yonder'])('takes %j for a no', async (answer) => {
    const { home, code, stderr } = await at([answer], ['codex', '--model', model])
    expect(code).toBe(1)
    expect(stderr).toContain('Nothing was written.')
    expect(existsSync(home.path('.codex'))).toBe(false)
  })

  it('asks nothing with --yes', async () => {
    expect(await at(['n'], ['codex', '--yes'])).toMatchObject({ code: 0, left: ['n'] })
  })

  it('warns of a model that is not listed', async () => {
    const { stderr } = await at(['y'], ['codex', '--model', 'demo-anthropic/claude-dem'])
    expect(stderr).toContain('does not list "demo-anthropic/claude-dem"')
    expect(stderr).toContain('demo-anthropic/claude-demo')
  })
})
