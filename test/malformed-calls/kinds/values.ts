// Values in another spelling, or in another place: one reading each.

import {
  boolean,
  callOf,
  closed,
  integer,
  type Kind,
  listOf,
  number,
  objectOf,
  readCall,
  readFile,
  string,
  toolOf,
} from '../kind.ts'

const edit = toolOf(
  'edit',
  objectOf({
    file_path: string,
    edits: listOf(objectOf({ old_string: string, new_string: string }, undefined, closed)),
  }),
)
const tune = toolOf(
  'tune',
  objectOf(
    {
      ratio: number,
      seed: integer,
      limits: { type: 'object', additionalProperties: number },
      marks: listOf(integer),
      most: { type: ['integer', 'null'] },
      options: { anyOf: [objectOf({ deep: boolean }, undefined, closed), { type: 'null' }] },
      unit: { enum: ['celsius', 'fahrenheit'] },
      tags: listOf(string),
      shape: { $ref: '#/$defs/shape' },
    },
    [],
    { ...closed, $defs: { shape: objectOf({ width: number }, undefined, closed) } },
  ),
)

const level = toolOf('log', objectOf({ level: { enum: [1, 2, 3] } }))

const mended = (
  id: string,
  { name, ...rest }: Kind['tools'][number],
  input: string,
  becomes: string,
): Kind => ({
  id,
  tools: [{ name, ...rest }],
  call: callOf(name, input),
  class: 'mended',
  becomes: callOf(name, becomes),
})

const oneEdit = '{"old_string": "a", "new_string": "b"}'
const asText = (json: string) => JSON.stringify(json)

export const valueKinds: readonly Kind[] = [
  mended('text-for-integer', readFile, '{"path": "a", "limit": "5"}', '{"path": "a", "limit": 5}'),
  mended('text-for-number', tune, '{"ratio": "0.25"}', '{"ratio": 0.25}'),
  mended('text-for-boolean', readFile, '{"path": "a", "follow": "true"}', '{"path": "a", "follow": true}'),
  mended('text-for-integer-or-null', tune, '{"most": "12"}', '{"most": 12}'),
  mended('texts-in-list-of-integers', tune, '{"marks": ["1", 2, "3"]}', '{"marks": [1, 2, 3]}'),
  mended(
    'texts-in-open-object',
    tune,
    '{"limits": {"cpu": "2", "memory": 1.50}}',
    '{"limits": {"cpu": 2, "memory": 1.50}}',
  ),
  mended(
    'text-for-object-or-null',
    tune,
    `{"options": ${asText('{"deep": true}')}}`,
    '{"options": {"deep": true}}',
  ),
  mended(
    'text-for-referred-object',
    tune,
    `{"shape": ${asText('{"width": 2.0}')}}`,
    '{"shape": {"width": 2.0}}',
  ),
  mended(
    'text-for-list',
    edit,
    `{"file_path": "a", "edits": ${asText(`[${oneEdit}]`)}}`,
    `{"file_path": "a", "edits": [${oneEdit}]}`,
  ),
  mended(
    'text-for-element',
    edit,
    `{"file_path": "a", "edits": [${asText(oneEdit)}]}`,
    `{"file_path": "a", "edits": [${oneEdit}]}`,
  ),
  mended('text-of-text-for-list', tune, `{"marks": ${asText(asText('[1, 2]'))}}`, '{"marks": [1, 2]}'),
  mended('null-for-optional', readFile, '{"path": "a", "limit": null}', '{"path": "a"}'),
  mended(
    'nulls-for-all-optionals',
    tune,
    '{"ratio": 1.0, "seed": null, "tags": null, "most": null}',
    '{"ratio": 1.0, "most": null}',
  ),
  mended(
    'object-for-list',
    edit,
    `{"file_path": "a", "edits": ${oneEdit}}`,
    `{"file_path": "a", "edits": [${oneEdit}]}`,
  ),
  mended('integer-for-list', tune, '{"marks": 7}', '{"marks": [7]}'),
  mended('word-for-list', tune, '{"tags": "urgent"}', '{"tags": ["urgent"]}'),
  mended('text-for-number-of-enum', level, '{"level": "2"}', '{"level": 2}'),
  mended(
    'name-of-the-prototype-beside-it',
    readFile,
    '{"__proto__": {"a": 1}, "path": "a", "limit": "5", "constructor": "x"}',
    '{"__proto__": {"a": 1}, "path": "a", "limit": 5, "constructor": "x"}',
  ),
  mended('enum-in-other-case', tune, '{"unit": "Fahrenheit"}', '{"unit": "fahrenheit"}'),
  {
    id: 'name-and-value',
    tools: [readFile],
    call: callOf('Read-File', '{"path": "a", "limit": "5", "follow": null}'),
    class: 'mended',
    becomes: readCall('{"path": "a", "limit": 5}'),
  },
  {
    id: 'word-for-list-that-may-be-a-list',
    tools: [tune],
    call: callOf('tune', '{"tags": "urgent, later"}'),
    class: 'ambiguous',
    again: callOf('tune', '{"tags": ["urgent", "later"]}'),
  },
  {
    id: 'lines-for-list',
    tools: [tune],
    call: callOf('tune', '{"tags": "urgent\\nlater"}'),
    class: 'ambiguous',
    again: callOf('tune', '{"tags": ["urgent", "later"]}'),
  },
  {
    id: 'enum-of-two-cases',
    tools: [toolOf('sort', objectOf({ order: { type: 'string', enum: ['asc', 'ASC', 'desc'] } }))],
    call: callOf('sort', '{"order": "Asc"}'),
    class: 'ambiguous',
    again: callOf('sort', '{"order": "asc"}'),
  },
]
