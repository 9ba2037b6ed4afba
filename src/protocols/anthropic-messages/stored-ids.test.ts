import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anthropicIds } from './stored-ids.ts'

const { given: idsGiven, named: idsNamed, marks } = anthropicIds
const mayHoldIds = (text: string) => marks.some((mark) => text.includes(mark))

it('every place where a request names an id', () => {
  const content = [
    { type: 'container_upload', file_id: 'file_1' },
    { type: 'document', source: { type: 'file', file_id: 'file_2' } },
    { type: 'tool_result', content: [{ type: 'image', source: { type: 'file', file_id: 'file_3' } }] },
    { type: 'tool_use', input: { file_id: 'no' } },
    { type: 'text', text: { file_id: 'no' } },
  ]
  const body = {
    container: { id: 'container_1', skills: [] },
    thread: { type: 'continue', previous_message_id: 'msg_1' },
    diagnostics: { previous_message_id: 'msg_2' },
    messages: [{ role: 'user', content }],
  }
  expect(idsNamed(body).map(({ id }) => id)).toEqual([
    'container_1',
    'msg_1',
    'msg_2',
    'file_1',
    'file_2',
    'file_3',
  ])
  expect(idsNamed({ container: 'container_2' })).toMatchObject([{ id: 'container_2' }])
  expect(idsNamed({ container: null, thread: 1, messages: 'x' })).toEqual([])
})

it('what the service gives is what it made itself', () => {
  const result = { type: 'bash_code_execution_tool_result', content: { content: [{ file_id: 'file_1' }] } }
  const call = { type: 'server_tool_use', input: { file_id: 'no' }, file_id: 'no' }
  const answer = { type: 'message', id: 'msg_1', container: { id: 'container_1' }, content: [result, call] }
  expect(idsGiven(answer).sort()).toEqual(['container_1', 'file_1', 'msg_1'])
  expect(idsGiven({ type: 'message_start', message: answer }).sort()).toEqual([
    'container_1',
    'file_1',
    'msg_1',
  ])
  expect(idsGiven({ type: 'message_delta', delta: { container: { id: 'c' } } })).toEqual(['c'])
  expect(idsGiven({ type: 'content_block_start', content_block: result })).toEqual(['file_1'])
  expect(idsGiven({ type: 'content_block_start', content_block: call })).toEqual([])
})

it('a text cannot pass for an id', () => {
  const text = JSON.stringify({
    type: 'text_delta',
    text: '{"container":{"id":"x"},"file_id":"y","message":1}',
  })
  expect(mayHoldIds(text)).toBe(false)
})

it('any JSON: no throw, and ids are strings', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom('message', 'delta', 'container', 'content', 'id', 'messages', 'thread', 'type'),
        fc.jsonValue(),
      ),
      (body) => {
        for (const id of [...idsGiven(body), ...idsNamed(body).map((named) => named.id)])
          expect(typeof id).toBe('string')
      },
    ),
  )
})
