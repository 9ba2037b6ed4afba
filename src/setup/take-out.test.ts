// What set-up added goes, what others added stays, at its place in the meaning of the file; or nothing is done.

import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { fuzzShare } from '../../test/fuzz/settings.ts'
import { editJson } from './json-edit.ts'
import { takeOut } from './take-out.ts'
import { editToml } from './toml-edit.ts'
import { scanToml } from './toml-scan.ts'

/** Nothing where it throws: such a text is of no interest. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

describe('TOML', () => {
  const ours = [
    { path: [], values: { model: 'm' } },
    { path: ['p', 'ours'], values: { url: 'u', args: ['a'] } },
  ]
  const before = 'a = 1\n\n[theirs]\nb = 2\n'
  const written = editToml(before, ours)

  it('keeps a table that was added after ours', () => {
    const more = '\n[projects."/x"]\ntrust = "yes"\n'
    expect(takeOut('config.toml', { before, written, now: written + more })).toBe(before + more)
  })

  it("does not move a key from setup's own table into another one", () => {
    expect(takeOut('config.toml', { before, written, now: `${written}timeout = 5\n` })).toBeUndefined()
  })

  it('keeps an added key in its table, or does nothing', () => {
    const line = fc.constantFrom(
      'a = 1\n',
      '\n',
      '[t]\n',
      '[u.v]\n',
      '# c\n',
      'b = [\n  1,\n]\n',
      'model = "x"\n',
    )
    const values = (text: string) =>
      scanToml(text).map(({ path, valueStart, valueEnd }) =>
        [...path, text.slice(valueStart, valueEnd)].join(),
      )
    const runs = fuzzShare(0.5)
    let taken = 0
    fc.assert(
      fc.property(fc.uniqueArray(line, { maxLength: 5 }), fc.nat(), (lines, at) => {
        const was = lines.join('')
        const made = attempt(() => editToml(was, ours))?.split(/(?<=\n)/)
        if (!made) return
        const now = made.toSpliced(at % (made.length + 1), 0, 'added = 1\n').join('')
        const added = attempt(() => values(now))?.filter((value) => value.endsWith('added,1'))
        const left = added && takeOut('config.toml', { before: was, written: made.join(''), now })
        if (added === undefined || left === undefined) return
        taken++
        expect(values(left).sort()).toEqual([...values(was), ...added].sort())
      }),
      runs,
    )
    expect(taken / runs.numRuns).toBeGreaterThan(50 / 500)
  })
})

describe('JSON', () => {
  const ours = [
    { path: ['env', 'OURS'], value: 'x' },
    { path: ['helper'], value: 'y' },
  ]

  it('leaves the old content plus later additions, or does nothing', () => {
    const value = fc.oneof(fc.integer(), fc.dictionary(fc.constantFrom('k', 'l'), fc.integer()))
    const object = fc.dictionary(fc.constantFrom('a', 'b', 'env'), value)
    const path = fc.constantFrom<string[][]>(['z'], ['a', 'z'], ['env', 'z'])
    const layout = fc.constantFrom<[number, boolean][]>([0, false], [2, false], [2, true])
    const runs = fuzzShare(0.5)
    let taken = 0
    fc.assert(
      fc.property(object, layout, path, (data, [indent, trailing], place) => {
        const text = JSON.stringify(data, undefined, indent)
        const before = trailing ? text.replace(/(?<=[\d}])\n/g, ',\n').replace(/,\n$/, '\n') : text
        const add = (to: string) => editJson(to, [{ path: place, value: 7 }])
        const written = attempt(() => editJson(before, ours))
        const now = attempt(() => add(written ?? ''))
        if (written === undefined || now === undefined) return
        const left = takeOut('x.json', { before, written, now })
        if (left === undefined) return
        taken++
        expect(parse(left)).toEqual(parse(add(before)))
      }),
      runs,
    )
    expect(taken / runs.numRuns).toBeGreaterThan(5 / 500)
  })

  it('removes added items of lists', () => {
    const before = '{\n  "l": [\n    1,\n  ],\n}\n'
    const written = '{\n  "l": [\n    1,\n    2,\n  ],\n}\n'
    const left = takeOut('x.jsonc', { before, written, now: written.replace('2,\n', '2,\n    3,\n') })
    expect(parse(left ?? '')).toEqual({ l: [1, 3] })
  })

  it("does not move a member that was added to setup's own object", () => {
    const before = '{\n  "a": {\n  },\n}\n'
    const written = '{\n  "a": {\n  },\n  "ours": {\n  },\n}\n'
    const now = written.replace('"ours": {\n', '"ours": {\n    "b": 1,\n')
    expect(takeOut('x.json', { before, written, now })).toBeUndefined()
  })
})

it('YAML is not parsed: a file with an adjacent change is left alone', () => {
  const before = 'models:\n  - name: a\n'
  const written = `${before}  - name: ours\n    roles:\n      - chat\n`
  expect(takeOut('config.yaml', { before, written, now: `${written}    timeout: 5\n` })).toBeUndefined()
  expect(takeOut('config.yaml', { before, written, now: `# mine\n${written}` })).toBe(`# mine\n${before}`)
})
