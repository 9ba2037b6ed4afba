import { expect, test } from 'vitest'

test('a pattern where a text is expected is not passed over', () => {
  expect({ error: { message: 'no' } }).not.toMatchObject({ error: { message: /no/ } })
  expect({ error: { message: 'no' } }).toMatchObject({ error: { message: expect.stringMatching(/no/) } })
})
