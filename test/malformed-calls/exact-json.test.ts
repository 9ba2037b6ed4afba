import fc from 'fast-check'
import { expect, it } from 'vitest'
import { at, readExact, sortedExact, writeExact } from './exact-json.ts'

it('keeps the spelling of numbers, the order of members and every name', () => {
  const text =
    '{ "b" : [1.0, -0, 1E400, 9007199254740993], "__proto__": {"a": "\\u00e9\\/"}, "a": [true, null] }'
  expect(writeExact(readExact(text))).toBe(
    '{"b":[1.0,-0,1E400,9007199254740993],"__proto__":{"a":"é/"},"a":[true,null]}',
  )
  expect(at(readExact(text), '__proto__', 'a')).toBe('é/')
  expect(sortedExact(readExact('{"b":1.0,"a":[{"d":1,"c":2}]}'))).toBe('{"a":[{"c":2,"d":1}],"b":1.0}')
})

it('reads what JSON.parse reads, and refuses what it refuses', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const plain = JSON.stringify(JSON.parse(text))
      // Names like numbers come first in JavaScript's objects.
      expect(JSON.stringify(JSON.parse(writeExact(readExact(text))))).toBe(plain)
    }),
  )
  for (const text of ['', '{', '[1,]', '{"a" 1}', "{'a':1}", '1 2']) expect(() => readExact(text)).toThrow()
})
