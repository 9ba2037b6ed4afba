import { expect, it } from 'vitest'
import { StoredAnswer } from './stored-answer.ts'

const blob = (text: string) =>
  new TextEncoder().encode(JSON.stringify({ role: 'assistant', content: [{ type: 'text', text }] }))

it('is the last one that was not said before', () => {
  const stored = new StoredAnswer(['Said before.'])
  stored.look(blob('Said before.'), 0)
  expect([stored.text, stored.dueAt]).toEqual(['', Number.POSITIVE_INFINITY])
  stored.look(blob('News.'), 0)
  expect([stored.text, stored.dueAt]).toEqual(['News.', 30_000])
})

it('is never a piece of an answer that was too long to be remembered', () => {
  const stored = new StoredAnswer([])
  stored.onSaid(undefined)
  stored.look(blob('A piece of it.'), 0)
  expect(stored.text).toBe('')
})
