import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../core/request.ts'
import { isOwnModel, newestRoots, type Sized } from './root-limit.ts'

const texts = (roots: readonly Uint8Array[]) => roots.map((root) => Buffer.from(root).toString())
const root = (text: string) => new TextEncoder().encode(text)
const sized = (role: Message['role'], text: string, ...more: string[]): Sized => ({
  message: role === 'tool' ? { role, results: [] } : ({ role, content: [] } as Message),
  roots: [text, ...more].map(root),
})

describe('the history for a model of another vendor', () => {
  it('is complete if it fits', () => {
    const all = [sized('user', 'u'), sized('assistant', 'a'), sized('tool', 't'), sized('assistant', 'b')]
    expect(texts(newestRoots(all, []))).toEqual(['u', 'a', 't', 'b'])
  })

  it('is of whole turns, the newest ones', () => {
    const turns = Array.from({ length: 100 }, (_, n) => [sized('user', `u${n}`), sized('assistant', `a${n}`)])
    const kept = texts(newestRoots(turns.flat(), [root('system')]))
    // 191 beside the system prompt: 95 turns of two.
    expect(kept).toHaveLength(190)
    expect([kept[0], kept.at(-1)]).toEqual(['u5', 'a99'])
  })

  it('is bounded in bytes', () => {
    const large = 'x'.repeat(200 * 1024)
    const turns = [1, 2, 3].map((n) => [sized('user', `u${n}`), sized('assistant', large)])
    expect(texts(newestRoots(turns.flat(), []))).toEqual(['u2', large, 'u3', large])
  })

  it('has the beginning and the newest steps of a turn that is too long by itself', () => {
    const steps = Array.from({ length: 150 }, (_, n) => [sized('assistant', `a${n}`), sized('tool', `t${n}`)])
    const kept = texts(
      newestRoots([sized('user', 'old'), sized('assistant', 'x'), sized('user', 'u'), ...steps.flat()], []),
    )
    expect(kept.slice(0, 3)).toEqual(['u', 'a55', 't55'])
    expect(kept.at(-1)).toBe('t149')
    expect(kept.length).toBeLessThanOrEqual(192)
  })

  it('never has a result without its call, and never more than the service takes', () => {
    const step = fc.record({
      results: fc.integer({ min: 0, max: 4 }),
      bytes: fc.integer({ min: 1, max: 60_000 }),
    })
    const turn = fc.array(step, { maxLength: 60 })
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 8 }), (turns) => {
        const all = turns.flatMap((steps, n) => [
          sized('user', `u${n}`),
          ...steps.flatMap(({ results, bytes }, at) => [
            sized('assistant', `call ${n}.${at} ${'x'.repeat(bytes)}`),
            ...(results > 0
              ? [sized('tool', ...(Array.from({ length: results }, () => `result ${n}.${at}`) as [string]))]
              : []),
          ]),
        ])
        const kept = newestRoots(all, [])
        const told = texts(kept)
        expect(told.length).toBeLessThanOrEqual(192)
        expect(kept.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(512 * 1024)
        const calls = new Set(told.flatMap((text) => /^call (\S+)/.exec(text)?.[1] ?? []))
        for (const text of told) {
          const [, of] = /^result (\S+)/.exec(text) ?? []
          if (of !== undefined) expect(calls).toContain(of)
        }
      }),
      { numRuns: 50 },
    )
  })
})

it.each([
  ['composer-2', true],
  ['cursor-composer-3', true],
  ['default', true],
  ['auto-smart', true],
  ['claude-opus-5', false],
  ['cursor-grok-4.6-high', false],
  ['gpt-5.2', false],
])('%s is of the service itself: %s', (model, isOwn) => {
  expect(isOwnModel(model)).toBe(isOwn)
})
