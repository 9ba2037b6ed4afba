import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fuzzShare } from '../../../test/fuzz/settings.ts'
import { git } from '../../../test/user-git.ts'
import { isIdleConfig, parseGitConfig, type Setting } from './git-config.ts'

it.each<[string, [key: string, value: string][]]>([
  ['[core]\n\thooksPath = .husky\n', [['core.hookspath', '.husky']]],
  ['[CORE] HooksPath=".hu"sky # ours', [['core.hookspath', '.husky']]],
  ['[core]\nhooksPath = a\\\nb\n', [['core.hookspath', 'ab']]],
  ['# a \\\n[core]\nhooksPath = b', [['core.hookspath', 'b']]],
  ['[includeIf "gitdir:~/A/"]\r\npath = "x;y"\r\n', [['includeif.gitdir:~/A/.path', 'x;y']]],
  ['[a "b\\"c"]\nd = e ; f', [['a.b"c.d', 'e']]],
  ['\uFEFF[a]\nb = \\"c\\\\', [['a.b', '"c\\']]],
])('reads %j', (text, settings) => {
  expect(parseGitConfig(text)).toEqual(settings.map(([key, value]) => ({ key, value })))
})

it.each([
  ['[core]\n\tbare = false\n[remote "origin"]\n\turl = https://x.test/y\n', true],
  ['', true],
  ['[core]\n\tfsmonitor = x\n', false],
  ['[core]\n\tfsmonitor\n', false],
  ['[core] fsmonitor = x\n', false],
  ['# a \\\n[core]\n', false],
  ['[core]\n\tbare = false \\\n\tfsmonitor = x\n', false],
  ['[include]\n\tpath = x\n', false],
  ['[alias]\n\tst = !x\n', false],
  ['[remote "origin"]\n\turl = ext::sh -c x\n', false],
  ['[user]\n\tname = "a\n', false],
])('%j runs nothing: %j', (text, isIdle) => {
  expect(isIdleConfig(text)).toBe(isIdle)
})

const part = fc.constantFrom(
  ...[
    '[core]',
    '[CORE]',
    '[a "b"]',
    '[include]',
    '[',
    ']',
    '"',
    '\\',
    '\\"',
    '\\\\',
    '\\\n',
    '\n',
    '\r\n',
    ' ',
    '\t',
    '=',
    '#',
    ';',
  ],
  ...[
    'hooksPath',
    'path',
    'bare',
    'x',
    '../y',
    'true',
    '[core]\n\tbare = false\n',
    '\n\thooksPath = z\n',
    '\u00e4',
  ],
)
const text = fc.array(part, { maxLength: 20 }).map((parts) => parts.join(''))

/** As git itself reads it; undefined if it refuses the file. */
function asGitReads(config: string): Setting[] | undefined {
  try {
    const args = ['config', '--file', '-', '--null', '--list']
    const said = execFileSync(git ?? '', args, {
      input: config,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    return said
      .split('\0')
      .filter(Boolean)
      .map((entry) => {
        const [key = '', ...value] = entry.split('\n')
        return { key, value: value.join('\n') }
      })
  } catch {
    return undefined
  }
}

it.runIf(git)('misses nothing that git reads', () => {
  const check = (config: string) => {
    const settings = asGitReads(config)?.filter(({ key, value }) => key.includes('.') && value !== '') ?? []
    const ours = parseGitConfig(config).map(({ key, value }) => `${key}=${value}`)
    for (const { key, value } of settings) expect(ours).toContain(`${key}=${value}`)
  }
  fc.assert(fc.property(text, check), fuzzShare(0.2))
})

it('takes linear time for any text', () => {
  for (const unit of ['[', '\\', '"', ' ', '=', '[a "', '\\\n', '#\\\n', 'a = ', '[a]'])
    for (const read of [parseGitConfig, isIdleConfig]) {
      const startedAt = performance.now()
      read(unit.repeat(1_000_000 / unit.length))
      expect(performance.now() - startedAt).toBeLessThan(3_000)
    }
})
