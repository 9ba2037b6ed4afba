import { expect, it } from 'vitest'
import { createSchemaCheckers } from './schema-checkers.ts'

it('keeps one checker for each schema object', () => {
  const checkerOf = createSchemaCheckers()
  const schema = { type: 'object', required: ['a'] }
  const checker = checkerOf(schema)
  expect(checkerOf(schema)).toBe(checker)
  expect(checker.root).toBe(schema)
  expect(checkerOf({ ...schema })).not.toBe(checker)
  expect(createSchemaCheckers()(schema)).not.toBe(checker)
})

it('compiles a schema once', () => {
  let read = 0
  const schema = {
    get type() {
      read++
      return 'object'
    },
  }
  const checkerOf = createSchemaCheckers()
  checkerOf(schema).judge({})
  const first = read
  for (let times = 0; times < 5; times++) checkerOf(schema).judge({})
  expect(first).toBeGreaterThan(0)
  expect(read).toBe(first)
})
