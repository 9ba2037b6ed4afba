// Calls that no reading puts right.

import {
  callOf,
  closed,
  integer,
  type Kind,
  listOf,
  objectOf,
  readCall,
  readFile,
  string,
  toolOf,
} from '../kind.ts'

const good = readCall('{"path": "src/a.ts"}')
const search = toolOf(
  'search',
  objectOf(
    {
      query: string,
      limit: { type: 'integer', minimum: 1, maximum: 100 },
      sort: { enum: ['newest', 'oldest'] },
      in: listOf(objectOf({ folder: string }, undefined, closed), { minItems: 1 }),
    },
    ['query'],
    closed,
  ),
)
const searched = callOf('search', '{"query": "x"}')

const unfit = (id: string, input: string): Kind => ({
  id,
  tools: [search],
  call: callOf('search', input),
  class: 'unfit',
  again: searched,
})

const unfitRead = (id: string, input: string): Kind => ({
  id,
  tools: [readFile],
  call: readCall(input),
  class: 'unfit',
  again: good,
})

export const unfitKinds: readonly Kind[] = [
  unfitRead('required-missing', '{"limit": 5}'),
  unfitRead('nothing-given', '{}'),
  unfitRead('null-for-required', '{"path": null}'),
  unfitRead('number-for-string', '{"path": 5}'),
  unfitRead('list-for-string', '{"path": ["a"]}'),
  unfitRead('word-for-integer', '{"path": "a", "limit": "many"}'),
  unfitRead('fraction-for-integer', '{"path": "a", "limit": "5.5"}'),
  unfitRead('nothing-for-integer', '{"path": "a", "limit": ""}'),
  unfitRead('word-for-boolean', '{"path": "a", "follow": "maybe"}'),
  unfit('beyond-maximum', '{"query": "x", "limit": 500}'),
  unfit('not-of-the-enum', '{"query": "x", "sort": "best"}'),
  unfit('too-few-elements', '{"query": "x", "in": []}'),
  unfit('parameter-unknown-and-closed', '{"query": "x", "page": 2}'),
  unfit('element-without-its-field', '{"query": "x", "in": [{"folder": "a"}, {}]}'),
  unfit('null-for-unknown-and-closed', '{"query": "x", "page": null}'),
  unfit('null-in-a-list', '{"query": "x", "in": [null]}'),
  unfit('object-for-integer', '{"query": "x", "limit": {"value": 5}}'),
  // A field that came is never dropped.
  unfitRead('wrapped-beside-another-field', '{"arguments": {"path": "a"}, "dry_run": true}'),
  {
    id: 'wrapped-and-still-wrong',
    tools: [readFile],
    call: readCall('{"arguments": {"limit": 5}}'),
    class: 'unfit',
    again: good,
  },
  {
    id: 'half-of-it-mendable',
    tools: [toolOf('move', objectOf({ from: string, to: string, times: integer }))],
    call: callOf('move', '{"from": "a", "times": "2"}'),
    class: 'unfit',
    partly: callOf('move', '{"from": "a", "times": 2}'),
    again: callOf('move', '{"from": "a", "to": "b", "times": 2}'),
  },
]
