// `setup` and the plugin on Windows, run elsewhere.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import path, { join } from 'node:path'
import { expect, it } from 'vitest'
import { refuseForeignOptions, userHostConfig } from '../../src/plugin/option-source.ts'
import { type SetupClientName, setupClientNames } from '../../src/setup/client-names.ts'
import { setupClients } from '../../src/setup/clients.ts'
import { exportKey, type Facts, printFile, printFileLine, shellPath, tilde } from '../../src/setup/plan.ts'
import { atEnd } from '../at-end.ts'

/** With the functions of Windows in `node:path`, for code that runs to its end at once. */
function asWindows<Result>(work: () => Result): Result {
  const own = { ...path }
  Object.assign(path, path.win32)
  syncBuiltinESMExports()
  try {
    return work()
  } finally {
    Object.assign(path, own)
    syncBuiltinESMExports()
  }
}

const planOf = (name: SetupClientName, more: Partial<Facts> = {}) =>
  asWindows(() => setupClients[name].plan({ ...facts, ...more }))

const home = "C:\\Users\\O'Brien & me"
const keyFile = `${home}\\AppData\\Local\\dragoman\\data\\key`
const model = { id: 'cursor/composer-2', contextTokens: 200_000 }

const facts: Facts = {
  url: 'http://127.0.0.1:18741',
  key: { text: 'dgm_abcdefghijklmnop', file: keyFile, needed: true },
  model,
  models: [model],
  home,
  configHome: `${home}\\.config`,
  projectFolder: 'D:\\work',
  project: false,
  plugin: undefined,
  shell: 'powershell',
  system: 'windows',
  variable: () => undefined,
  exists: () => false,
  read: () => undefined,
}

/** Relative to the home folder. */
const files: Partial<Record<SetupClientName, string[]>> = {
  opencode: ['.config\\opencode\\opencode.json'],
  'claude-code': ['.claude\\settings.json'],
  codex: ['.codex\\dragoman-models.json', '.codex\\config.toml'],
  'gemini-cli': ['.gemini\\settings.json', '.gemini\\.env'],
  'qwen-code': ['.qwen\\settings.json'],
  continue: ['.continue\\config.yaml'],
  cline: ['.cline\\data\\settings\\providers.json'],
  kimi: ['.kimi-code\\config.toml'],
  pi: ['.pi\\agent\\models.json', '.pi\\agent\\settings.json'],
  kilo: ['.config\\kilo\\kilo.json'],
  'grok-build': ['.grok\\config.toml'],
  'grok-cli': ['.grok\\user-settings.json'],
  crush: ['AppData\\Local\\crush\\crush.json'],
  zed: ['AppData\\Roaming\\Zed\\settings.json'],
}

it.each(setupClientNames)('%s: files where the client has them on Windows', (name) => {
  const written = planOf(name).files.map(({ path }) => path)
  expect(written).toEqual((files[name] ?? []).map((file) => `${home}\\${file}`))
})

it.each(setupClientNames)('%s: no command or path that Windows does not have', (name) => {
  const { files: changes, steps, output = '' } = planOf(name)
  // Crush has a shell of its own, with `cat`.
  const text = [...changes.map(({ after }) => after), ...steps, output].join('\n')
  expect(text).not.toMatch(name === 'crush' ? /export \w+=/ : /\bcat\b|export \w+=|eval "/)
})

it('writes variables as PowerShell reads them', () => {
  const { output = '' } = planOf('env')
  expect(output).toContain("$env:OPENAI_BASE_URL = 'http://127.0.0.1:18741/v1'\n")
  expect(output).toContain(`$env:OPENAI_API_KEY = (Get-Content '${keyFile.replace("'", "''")}')\n`)
  const noFile = { key: { text: 'x', file: undefined, needed: true } }
  expect(planOf('env', noFile).output).toContain('$env:OPENAI_API_KEY = $env:DRAGOMAN_KEY\n')
  expect(exportKey(facts)).toBe(`$env:DRAGOMAN_KEY = Get-Content '${keyFile.replace("'", "''")}'`)
  expect(exportKey({ ...facts, shell: 'sh' })).toBe(
    `export DRAGOMAN_KEY=$(cat '${keyFile.replaceAll('\\', '/').replace("'", "'\\''")}')`,
  )
})

it('writes paths so that shells and files of clients take them', () => {
  expect(tilde(keyFile, home)).toBe('~\\AppData\\Local\\dragoman\\data\\key')
  expect(tilde('D:\\a', home)).toBe('D:\\a')
  expect(shellPath('C:\\a b\\key', 'C:\\a b', 'sh')).toBe("'C:/a b/key'")
  const [opencode] = planOf('opencode').files
  expect(opencode?.after).toContain('"{file:~/AppData/Local/dragoman/data/key}"')
})

it('the command that prints the key does so, in a shell and without one', () => {
  const folder = mkdtempSync(join(tmpdir(), "dragoman-key's & $x "))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'key')
  writeFileSync(file, 'dgm_printed\n')
  const { program, args } = printFile(file, 'windows')
  expect(execFileSync(program, args, { encoding: 'utf8' })).toBe('dgm_printed\n')
  const line = printFileLine(file, { home, system: 'windows' })
  expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' })).toBe('dgm_printed\n')
  // What cmd and PowerShell would take for their own.
  expect(line).not.toMatch(/[%^&|<>$`!]/)
})

it('a second setup knows the command of the first', () => {
  const [first] = planOf('claude-code').files
  const again = { key: { ...facts.key, file: 'D:\\dragoman\\key' }, read: () => first?.after }
  const [second] = planOf('claude-code', again).files
  expect(second?.after).toContain("readFileSync('D:/dragoman/key'")
  const [, codex] = planOf('codex').files
  const [, codexAgain] = planOf('codex', { ...again, read: () => codex?.after }).files
  expect(codexAgain?.after).toContain("readFileSync('D:/dragoman/key'")
})

it("OpenCode's files are where it has them on Windows, and a project on another drive is not the user's own", () => {
  const environment = { variable: () => undefined, homeFolder: home }
  expect(asWindows(() => userHostConfig(environment))).toBe(`${home}\\.config\\opencode\\opencode.json`)
  const given = { config: 'x' }
  const from = (source: string) => () =>
    asWindows(() =>
      refuseForeignOptions(
        { config: 'x', cursor: {}, anthropic: {}, openai: {} },
        { given, environment, config: { plugin_origins: [{ spec: ['dragoman-gateway', given], source }] } },
      ),
    )
  expect(from(`${home}\\.config\\opencode\\opencode.json`)).not.toThrow()
  expect(from('D:\\project\\opencode.json')).toThrow(/A project must not say/)
})
