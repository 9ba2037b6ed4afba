import { expect, test } from 'vitest'
import type { Message } from '../model.ts'
import { recall } from './recall.ts'

const said = (...texts: string[]): Message[] => texts.map((text) => ({ role: 'user', text }))

test.each([
  ['What did I say first?', 'You said first: one'],
  ['And what did I ask you before this?', 'You said before: two'],
  ['Read a.txt', undefined],
])('%s', (question, answer) => {
  expect(recall(question, said('one', '', 'two', question))).toBe(answer)
})

test('a conversation without earlier turns', () => {
  const question = 'what have I said before'
  expect(recall(question, said(question))).toBe('You have said nothing before.')
})
