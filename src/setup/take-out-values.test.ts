// Files that their programs write anew, in another layout and with values of their own.

import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { fuzzShare } from '../../test/fuzz/settings.ts'
import { editJson } from './json-edit.ts'
import { takeOut } from './take-out.ts'

const anew = (text: string, change: (value: Record<string, unknown>) => void = () => undefined) => {
  const value = JSON.parse(text)
  change(value)
  return JSON.stringify(value, undefined, 4)
}

describe('a file that was written anew', () => {
  const ours = [
    { path: ['providers', 'dragoman', 'models'], value: { id: 'a' }, append: true as const, oneLine: true },
    { path: ['providers', 'dragoman', 'baseUrl'], value: 'http://x/v1' },
    { path: ['chosen'], value: 'dragoman' },
  ]

  it('has its old values and the new ones of others, whatever they are', () => {
    const value = fc.oneof(fc.integer(), fc.string(), fc.dictionary(fc.constantFrom('k', 'l'), fc.integer()))
    const others = fc.dictionary(fc.constantFrom('a', 'b', 'other'), value)
    const object = fc.oneof(
      others,
      others.map((all) => ({ ...all, chosen: 'mine' })),
    )
    fc.assert(
      fc.property(object, fc.integer(), (data, added) => {
        const before = JSON.stringify(data, undefined, 2)
        const written = editJson(before, ours)
        const now = anew(written, (all) => {
          all.added = added
        })
        const left = takeOut('x.json', { before, written, now })
        expect(left === undefined ? undefined : parse(left)).toEqual({ ...data, added })
      }),
      fuzzShare(0.3),
    )
  })

  it('is empty where there was none before', () => {
    const written = editJson('', ours)
    expect(takeOut('x.json', { before: '', written, now: anew(written) })).toBe('')
  })

  it("loses setup's entry with what its program changed in it", () => {
    const before = '{"providers":{"mine":{"a":1}}}'
    const written = editJson(before, ours)
    const now = anew(written, (all) => {
      const { dragoman } = all.providers as { dragoman: Record<string, unknown> }
      dragoman.baseUrl = 'http://y/v1'
    })
    expect(parse(takeOut('x.json', { before, written, now }) ?? '')).toEqual({
      providers: { mine: { a: 1 } },
    })
  })

  it('keeps what others added to that entry, and a choice that was made since', () => {
    const written = editJson('{}', ours)
    const now = anew(written, (all) => {
      const { dragoman } = all.providers as { dragoman: Record<string, unknown> }
      dragoman.timeout = 5
      all.chosen = 'other'
    })
    expect(parse(takeOut('x.json', { before: '{}', written, now }) ?? '')).toEqual({
      providers: { dragoman: { timeout: 5 } },
      chosen: 'other',
    })
  })

  it('loses only the items of a list that setup added', () => {
    const before = '{"models":["a"]}'
    const written = editJson(before, [{ path: ['models'], value: 'ours', append: true }])
    const now = anew(written, (all) => {
      all.models = ['new', ...(all.models as string[])]
    })
    expect(parse(takeOut('x.json', { before, written, now }) ?? '')).toEqual({ models: ['new', 'a'] })
  })

  it('is left alone if it is no longer JSON', () => {
    const written = editJson('', ours)
    expect(takeOut('x.json', { before: '', written, now: '{ "half": ' })).toBeUndefined()
  })
})
