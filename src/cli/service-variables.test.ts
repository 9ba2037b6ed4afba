import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { atTestEnd } from '../../test/at-end.ts'
import { readEnvironment } from '../config/environment.ts'
import type { ServiceFacts } from '../service/service-facts.ts'
import { loadEnvFile, readEnvFile } from './env-file.ts'
import { keepVariables } from './service-variables.ts'

const key = `sk-canary #1 with 'quotes'`

function service(config: string) {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-variables-'))
  const said = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
  atTestEnd(() => {
    said.mockRestore()
    rmSync(folder, { recursive: true, force: true })
  })
  const configFile = join(folder, 'dragoman.jsonc')
  writeFileSync(configFile, config)
  const envFile = join(folder, 'service.env')
  const keep = (all: boolean, env: NodeJS.ProcessEnv) =>
    keepVariables({ configFile, envFile, system: 'linux' } as ServiceFacts, {
      all,
      environment: readEnvironment({ HOME: folder, ...env }),
    })
  return { envFile, keep, said: () => said.mock.calls.join('') }
}

it('keeps folders always, and secrets if asked to; a second time it replaces them', () => {
  const { envFile, keep, said } = service('{ "a": "{env:A_KEY}", "b": "x{env:B_KEY}y", "c": "{env:A_KEY}" }')
  const shell = {
    A_KEY: key,
    B_KEY: undefined,
    OTHER: 'no',
    XDG_DATA_HOME: '/data dir',
    HTTPS_PROXY: 'http://p:1',
  }
  keep(false, shell)
  expect(readEnvFile(envFile)).toEqual({ XDG_DATA_HOME: '/data dir' })
  expect(said()).toMatch(/needs A_KEY, B_KEY,.*--with-env/)
  expect(said()).not.toContain('canary')
  keep(true, shell)
  expect(readEnvFile(envFile)).toEqual({ XDG_DATA_HOME: '/data dir', A_KEY: key, HTTPS_PROXY: 'http://p:1' })
  keep(true, { A_KEY: 'sk-new' })
  expect(readEnvFile(envFile)).toMatchObject({ XDG_DATA_HOME: '/data dir', A_KEY: 'sk-new' })
  expect(statSync(envFile).mode & 0o777).toBe(0o600)
})

it('a value that cannot be written is refused without showing it', () => {
  const { keep, envFile } = service('{ "a": "{env:A_KEY}" }')
  const refused = (() => {
    try {
      keep(true, { A_KEY: 'canary"\\' })
    } catch (error) {
      return (error as Error).message
    }
    return ''
  })()
  expect(refused).toMatch(/"A_KEY" cannot be written.*\{file:PATH\}/)
  expect(refused).not.toContain('canary')
  expect(() => readFileSync(envFile)).toThrow('ENOENT')
})

it('variables of the process win over those of the file, and a file that is missing or open to others is named', () => {
  const { envFile, keep, said } = service('{ "a": "{env:A_KEY}" }')
  keep(true, { A_KEY: 'of-file' })
  writeFileSync(envFile, 'A=of-file\nB="b b" # why\n', { mode: 0o644 })
  const env: NodeJS.ProcessEnv = { A: 'of-process' }
  loadEnvFile(envFile, env)
  expect(env).toEqual({ A: 'of-process', B: 'b b' })
  expect(said()).toBe('')
  rmSync(envFile)
  writeFileSync(envFile, 'A=1\n', { mode: 0o644 })
  loadEnvFile(envFile, env)
  expect(said()).toMatch(/can be read by other users; run: chmod 600/)
  expect(() => loadEnvFile(`${envFile}.none`, env)).toThrow(/there is no such file/)
})

it('a line that is no variable is named by its number', () => {
  const { envFile } = service('{}')
  const lines = ['# mine', 'ONE=1', 'MANY="a', 'b', 'c"', '', 'export TWO=2']
  const load = (all: string[]) => {
    writeFileSync(envFile, all.join('\n'), { mode: 0o600 })
    const env = {}
    loadEnvFile(envFile, env)
    return env
  }
  expect(load(lines)).toEqual({ ONE: '1', MANY: 'a\nb\nc', TWO: '2' })
  expect(() => load([...lines, 'sk-canary', 'LAST=1'])).toThrow(
    /line 8 is not NAME=value; correct or remove it\.$/,
  )
})
