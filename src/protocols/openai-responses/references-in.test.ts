import { describe, expect, it } from 'vitest'
import type { EarlierResponses } from './references-in.ts'
import { nothing, read, refused } from './request-in.fixture.ts'

describe('earlier answers', () => {
  const kept = [
    { type: 'message', role: 'user', content: 'first' },
    { id: 'fc_1_0', type: 'function_call', call_id: 'c', name: 'read', arguments: '{}' },
  ]
  const earlier: EarlierResponses = {
    conversation: (id) => (id === 'resp_1' ? kept : undefined),
    itemsOf: (id) => (id === 'resp_1' ? kept.slice(1) : undefined),
  }
  const output = { type: 'function_call_output', call_id: 'c', output: 'x' }

  it('previous_response_id: the stored conversation, then the input; old instructions are not carried over', () => {
    const request = read({ previous_response_id: 'resp_1', input: [output] }, earlier)
    expect(request.turn.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(request.items).toEqual([...kept, output])
  })

  it.each([{ type: 'item_reference', id: 'fc_1_0' }, { id: 'fc_1_0' }])(
    '%j is the item itself',
    (reference) => {
      const request = read({ input: [{ role: 'user', content: 'x' }, reference, output] }, earlier)
      expect(request.turn.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
      expect(request.items[1]).toBe(kept[1])
    },
  )

  it('an unknown id is reported with the error of OpenAI', () => {
    expect(refused({ previous_response_id: 'resp_2' }, earlier)).toMatchObject({
      status: 400,
      param: 'previous_response_id',
      detail: 'previous_response_not_found',
      message: expect.stringContaining("Previous response with id 'resp_2' not found."),
    })
    for (const id of ['fc_1_9', 'fc_2_0', 'rs_9', '__proto__', ''])
      expect(refused({ input: [{ type: 'item_reference', id }] }, earlier)).toMatchObject({
        status: 404,
        param: 'input[0].id',
        message: expect.stringContaining(`Item with id '${id}' not found.`),
      })
  })
})

/** A quadratic search would take minutes. */
describe('very many', () => {
  const count = 100_000
  const many = <T>(make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))

  it('references to items of one answer', () => {
    const kept = many((at) => ({ id: `msg_1_${at}`, type: 'message', role: 'user', content: 'x' }))
    const input = many((at) => ({ type: 'item_reference', id: `msg_1_${count - 1 - at}` }))
    expect(read({ input }, { ...nothing, itemsOf: () => kept }).items).toEqual([...kept].reverse())
  })
})
