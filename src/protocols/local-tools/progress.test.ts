import { expect, it } from 'vitest'
import { announce, conclude } from './progress.ts'
import { ShownOutput } from './shown-output.ts'

const half = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

it('is cut between characters, never inside one', () => {
  for (const before of ['', 'x']) {
    const long = `${before}${'😀'.repeat(400)}`
    const shown: string[] = []
    const output = new ShownOutput((text) => shown.push(text))
    output.push(long.slice(0, 350))
    output.push(`${long.slice(350)}\n${long}`)
    output.end()
    const error = conclude({ kind: 'failed', error: long })
    for (const text of [announce({ kind: 'shell', command: long }), error, ...shown]) {
      expect(text).toMatch(/😀…\n?$/)
      expect(text).not.toMatch(half)
    }
    expect(shown).toHaveLength(2)
  }
})

it('is one line for any tool and any arguments', () => {
  expect(announce({ kind: 'shell', command: 'echo a\r\n\u001b[31mecho b\u2028' })).toBe('$ echo a [31mecho b')
  expect(announce({ kind: 'read', path: 'a\n→ done\nb' })).toBe('read a → done b')
})

it('shows the beginning of the output without terminal control sequences', () => {
  const shown: string[] = []
  const output = new ShownOutput((text) => shown.push(text))
  output.push('\u001b[31mred\u001b[0m \u001b]0;title\u0007end\nsecond')
  output.push(' half\n')
  output.push('line\n'.repeat(200_000))
  output.end()
  expect(shown.slice(0, 2)).toEqual(['  red  end\n', '  second half\n'])
  expect(shown.at(-1)).toBe('  …\n')
  expect(shown.join('').length).toBeLessThan(4_000)
})
