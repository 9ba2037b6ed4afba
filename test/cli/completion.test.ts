// `dragoman completion`: the scripts complete what the program takes.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { setupClientNames } from '../../src/setup/client-names.ts'
import { Home, program } from './program.ts'

const home = new Home()
const has = (name: string) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)))

describe.runIf(has('bash'))('in bash', () => {
  let script: string

  beforeAll(async () => {
    const { code, stdout } = await home.run(['completion', 'bash'])
    expect(code).toBe(0)
    script = home.write('completion.bash', stdout)
    const box = { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: '{env:NOT_SET}' }
    home.write('config/dragoman/config.jsonc', { backends: { box }, models: { fast: 'box/small' } })
  })

  /** What Tab offers after these words; the last one is begun. */
  function offered(...words: string[]): string[] {
    const run = `dragoman() { "${process.execPath}" "${program}" "$@"; }; source "${script}"
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dragoman; printf '%s\\n' "\${COMPREPLY[@]}"`
    const ended = spawnSync('bash', ['-c', run, 'bash', 'dragoman', ...words], {
      cwd: home.path('work'),
      env: { PATH: process.env.PATH, ...home.env },
      encoding: 'utf8',
    })
    expect(ended.stderr).toBe('')
    return ended.stdout.split('\n').filter(Boolean)
  }

  it.each<[string[], string[]]>([
    [['se'], ['serve', 'service', 'setup']],
    [['serve', '--log-l'], ['--log-level']],
    [
      ['serve', '--log-level', ''],
      ['debug', 'info', 'warn', 'error', 'silent'],
    ],
    [['tape', 're'], ['replay']],
    [['tape', 'replay', '--sp'], ['--speed']],
    [['usage', '--by', 'm'], ['model']],
    [['completion', 'f'], ['fish']],
    [['probe', 'f'], ['fast']],
    [
      ['setup', 'codex', '--model', ''],
      ['fast', 'box/'],
    ],
    [['serve', '--host', ''], []],
  ])('%j', (words, expected) => {
    expect(offered(...words)).toEqual(expected)
  })

  it('knows all clients of setup, and files where there are files', () => {
    expect(offered('setup', '')).toEqual(expect.arrayContaining([...setupClientNames]))
    home.write('work/my-settings.jsonc', '{}')
    expect(offered('serve', '--config', 'my-')).toEqual(['my-settings.jsonc'])
  })
})

it.each(['zsh', 'fish'])(
  'the script for %s has every command, and is one that the shell reads',
  async (shell) => {
    const { code, stdout } = await home.run(['completion', shell])
    expect(code).toBe(0)
    for (const word of ['serve', 'usage', 'log-format', '/tape/export', 'claude-code'])
      expect(stdout).toContain(word)
    if (!has(shell)) return
    const file = home.write(`completion.${shell}`, stdout)
    expect(spawnSync(shell, ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  },
)
