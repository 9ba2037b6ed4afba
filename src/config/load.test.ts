import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readEnvironment } from './environment.ts'
import { parseConfig } from './load.ts'

const home = mkdtempSync(join(tmpdir(), 'dragoman-load-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const environment = readEnvironment({ HOME: home, NAME: 'from-env-canary' })

const parse = (settings: unknown, file = join(home, 'dragoman.jsonc')) =>
  parseConfig(JSON.stringify(settings), { file, environment })
const box = { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }

describe('placeholders', () => {
  writeFileSync(join(home, 'secret.txt'), '  from-file-canary\n')

  it.each(['{file:secret.txt}', '{file:~/secret.txt}', `{file:${join(home, 'secret.txt')}}`])(
    '%s is what the file holds, and a secret',
    (apiKey) => {
      const { config, secrets } = parse({ backends: { box: { ...box, apiKey } } })
      expect(config.backends.box?.apiKey).toBe('from-file-canary')
      expect(secrets).toContain('from-file-canary')
    },
  )

  it('may stand in the middle of a text, and beside each other', () => {
    const headers = { authorization: 'Basic {env:NAME}:{file:secret.txt}' }
    expect(parse({ backends: { box: { ...box, headers } } }).config.backends.box?.headers).toEqual({
      authorization: 'Basic from-env-canary:from-file-canary',
    })
  })

  it.each([
    ['{file:gone.txt}', 'backends.box.apiKey: the file gone.txt cannot be read, or is empty'],
    ['{env:GONE}', 'backends.box.apiKey: the variable GONE is not set'],
  ])('%s is an error that names the key', (apiKey, problem) => {
    expect(() => parse({ backends: { box: { ...box, apiKey } } })).toThrow(problem)
  })
})

describe('what has no effect is refused', () => {
  it.each([
    [
      { clients: { 'open-code': { toolArguments: 'streamed' } } },
      /clients\.open-code: .*did you mean "opencode"/,
    ],
    [{ clients: { emacs: {} } }, /clients\.emacs: .*opencode, claude-code/],
    [
      { backends: { a: { kind: 'anthropic', apiKey: 'x', baseUrl: 'https://api.anthropic.com/v1' } } },
      /must not end in \/v1/,
    ],
    [{ backends: { a: { ...box, baseUrl: 'https://me:pass@example.com/v1' } } }, /credentials belong in/],
    [{ toolArguments: 'stream' }, /toolArguments: must be one of "whole", "streamed"/],
    [{ listen: { port: '80' } }, /listen\.port: must be a number/],
    [{ backends: undefined }, /backends: is required \(an object\)/],
  ])('%j', (more, problem) => {
    expect(() => parse({ backends: { box }, ...more })).toThrow(problem)
  })
})
