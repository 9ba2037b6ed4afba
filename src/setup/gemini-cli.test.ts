// The plan of Gemini CLI: its two files.

import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { key, noKey, plan, textKey } from './client-plans.fixture.ts'
import { editEnv } from './env-edit.ts'
import { NotUnderstood } from './plan.ts'

const settings = '/home/me/.gemini/settings.json'
const env = '/home/me/.gemini/.env'

const filesOf = (files: Record<string, string> = {}, more: Parameters<typeof plan>[2] = {}) =>
  Object.fromEntries(plan('gemini-cli', files, more).files.map(({ path, after }) => [path, after]))

describe('gemini-cli', () => {
  it('writes the login, the model and the share of its window; address, key and helper are variables', () => {
    const files = filesOf()
    expect(parse(files[settings] ?? '')).toEqual({
      security: { auth: { selectedType: 'gemini-api-key' } },
      model: { name: 'cursor/composer-2', compressionThreshold: 0.095 },
    })
    expect(files[env]).toBe(
      [
        'GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:18741',
        `GEMINI_API_KEY=${key}`,
        'GEMINI_MODEL=cursor/composer-2',
        'GEMINI_CLI_CUSTOM_HEADERS="x-dragoman-helper-model: cursor/composer-2"',
        '',
      ].join('\n'),
    )
  })

  it('keeps what is there, and changes nothing the second time', () => {
    const there = {
      [settings]:
        '{\n  // mine\n  "ui": { "theme": "Dracula" },\n  "privacy": { "usageStatisticsEnabled": true }\n}\n',
      [env]: '# mine\nOTHER="a b"\nexport GEMINI_API_KEY=old # note\nGEMINI_MODEL=first\nGEMINI_MODEL=second',
    }
    for (const more of [{}, textKey, noKey, { url: 'https://gateway.example' }]) {
      const files = filesOf(there, more)
      expect(files[settings]).toContain('// mine')
      expect(parse(files[settings] ?? '').privacy).toEqual({ usageStatisticsEnabled: true })
      expect(files[env]).toContain('# mine\nOTHER="a b"\nexport GEMINI_API_KEY=')
      expect(files[env]).toContain('GEMINI_MODEL=first\nGEMINI_MODEL=cursor/composer-2\n')
      expect(filesOf(files, more)).toEqual(files)
    }
  })

  it.each([
    [1_048_576, 0.5],
    [4_000_000, 0.5],
    [128_000, 0.061],
    [1_000, 0.001],
  ])('a window of %i tokens', (contextTokens, share) => {
    const files = filesOf({}, { model: { id: 'm', contextTokens } })
    expect(parse(files[settings] ?? '').model.compressionThreshold).toBe(share)
  })

  it('names variables that win over the file, and a share that may be wrong', () => {
    const { steps } = plan(
      'gemini-cli',
      { [settings]: '{"model":{"compressionThreshold":0.3}}' },
      { model: { id: 'm' }, variable: (name) => (name === 'GEMINI_API_KEY' ? 'x' : undefined) },
    )
    expect(steps.join('\n')).toMatch(/Unset GEMINI_API_KEY[\s\S]*compressionThreshold is 0\.3/)
  })

  it.each([
    [settings, '{ "half": '],
    [env, 'GEMINI_API_KEY="begins here\nends here"\n'],
  ])('refuses a %s that it cannot edit safely', (path, text) => {
    expect(() => plan('gemini-cli', { [path]: text })).toThrow(NotUnderstood)
  })
})

describe('variables', () => {
  it('are read as they were written', () => {
    for (const value of ['plain', 'a b', 'x: y', '#', '', "it's"]) {
      const text = editEnv('A=1\r\n', { NAME: value })
      const [, written = ''] = /^A=1\r\nNAME=(.*)\r\n$/.exec(text) ?? []
      expect(written.replace(/^"(.*)"$/, '$1')).toBe(value)
      expect(editEnv(text, { NAME: value })).toBe(text)
    }
    expect(() => editEnv('', { NAME: '"' })).toThrow(/one line/)
    expect(editEnv('NAME=1\r\nB=2\r\n', { NAME: '3' })).toBe('NAME=3\r\nB=2\r\n')
  })
})
