import { describe, expect, it } from 'vitest'
import { itemProblems } from '../../../test/open-responses/required.ts'
import { listedItem, pageOf, readPage } from './listed-items.ts'

describe('listedItem', () => {
  it('gives a message its id, status and parts, and keeps what else it has', () => {
    expect(listedItem({ role: 'user', content: 'hi' }, 0, 'abc')).toEqual({
      id: 'msg_abc_in0',
      type: 'message',
      status: 'completed',
      role: 'user',
      content: [{ type: 'input_text', text: 'hi' }],
    })
    const said = { type: 'message', role: 'assistant', phase: 'commentary', content: 'so', id: 'msg_1' }
    const listed = listedItem(said, 1, 'abc')
    expect(listed).toMatchObject({ id: 'msg_1', phase: 'commentary', content: [{ type: 'output_text' }] })
    expect(itemProblems(listed)).toEqual([])
  })

  it.each([
    [{ type: 'function_call_output', call_id: 'c', output: 'done' }, 'fco_abc_in2'],
    [{ type: 'function_call', call_id: 'c', name: 'n', arguments: '{}', id: null }, 'fc_abc_in2'],
    [{ type: 'reasoning', summary: [], content: null, encrypted_content: 'x' }, 'rs_abc_in2'],
    [{ type: 'compaction', encrypted_content: 'x' }, 'cmp_abc_in2'],
  ])('%j', (item, id) => {
    const listed = listedItem(item, 2, 'abc')
    expect(listed.id).toBe(id)
    expect(itemProblems(listed)).toEqual([])
  })

  it('names the detail of a picture', () => {
    const content = [{ type: 'input_image', image_url: 'https://x/y.png' }]
    expect(listedItem({ role: 'user', content }, 0, 'a').content).toEqual([
      { type: 'input_image', image_url: 'https://x/y.png', detail: 'auto' },
    ])
  })
})

describe('pages', () => {
  const items = ['a', 'b', 'c', 'd'].map((id) => ({ id }))
  const ids = (query: string) =>
    (pageOf(items, readPage(query)).data as { id: string }[]).map(({ id }) => id).join('')

  it.each([
    ['', 'dcba'],
    ['order=asc', 'abcd'],
    ['order=asc&limit=2', 'ab'],
    ['order=asc&limit=2&after=b', 'cd'],
    ['after=b', 'a'],
    ['after=a', ''],
  ])('%s', (query, expected) => {
    expect(ids(query)).toBe(expected)
  })

  it('tells whether there is more, and where to go on', () => {
    expect(pageOf(items, readPage('limit=3'))).toMatchObject({ first_id: 'd', last_id: 'b', has_more: true })
    expect(pageOf(items, readPage('limit=4'))).toMatchObject({ last_id: 'a', has_more: false })
    expect(pageOf([], readPage(''))).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    })
  })

  it.each(['order=up', 'limit=0', 'limit=101', 'limit=x', 'limit=-1', 'limit=1e1'])(
    '%s is refused',
    (query) => {
      expect(() => readPage(query)).toThrow(/order|limit/)
    },
  )

  it('an id that is not in the list is refused', () => {
    expect(() => pageOf(items, readPage('after=x'))).toThrow(/after/)
  })
})
