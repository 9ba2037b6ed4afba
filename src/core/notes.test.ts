import { expect, it } from 'vitest'
import { Notes } from './notes.ts'

it('notes are taken once, and those of a failed attempt are removed', () => {
  const notes = new Notes()
  notes.add('of the request')
  const lasting = notes.all.length
  notes.add('of the first attempt')
  notes.rewind(lasting)
  notes.add('of the second attempt')
  notes.add('of the request')
  expect(notes.take()).toEqual(['of the request', 'of the second attempt'])
  expect(notes.take()).toEqual([])
})

it('notes that replace taken ones are taken too', () => {
  const notes = new Notes()
  notes.add('of the first attempt')
  notes.take()
  notes.rewind(0)
  notes.add('of the second attempt')
  expect(notes.take()).toEqual(['of the second attempt'])
})
