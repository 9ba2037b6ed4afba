// Parameters under another name, and arguments one level too deep.

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

const write = toolOf('write', objectOf({ file_path: string, content: string }))
const camel = toolOf('view', objectOf({ filePath: string, line: integer }, ['filePath']))
const replace = toolOf(
  'replace',
  objectOf({ edits: listOf(objectOf({ old_string: string, new_string: string }, undefined, closed)) }),
)
const good = '{"path": "src/a.ts", "limit": 5}'
const written = '{"file_path": "a.ts", "content": "x"}'

const wrapped = (id: string, input: string): Kind => ({
  id,
  tools: [readFile],
  call: readCall(input),
  class: 'mended',
  becomes: readCall(good),
})

const renamed = (id: string, name: string): Kind => ({
  id,
  tools: [write],
  call: callOf('write', `{"${name}": "a.ts", "content": "x"}`),
  class: 'mended',
  becomes: callOf('write', written),
})

export const parameterKinds: readonly Kind[] = [
  renamed('parameter-in-camel-case', 'filePath'),
  renamed('parameter-with-dash', 'file-path'),
  renamed('parameter-in-capitals', 'FILE_PATH'),
  {
    id: 'parameter-in-snake-case',
    tools: [camel],
    call: callOf('view', '{"file_path": "a.ts", "line": 3}'),
    class: 'mended',
    becomes: callOf('view', '{"filePath": "a.ts", "line": 3}'),
  },
  {
    id: 'parameters-of-an-element',
    tools: [replace],
    call: callOf('replace', '{"edits": [{"oldString": "a", "newString": "b"}]}'),
    class: 'mended',
    becomes: callOf('replace', '{"edits": [{"old_string": "a", "new_string": "b"}]}'),
  },
  wrapped('wrapped-in-arguments', `{"arguments": ${good}}`),
  wrapped('wrapped-in-input', `{"input": ${good}}`),
  wrapped('wrapped-in-parameters', `{"parameters": ${good}}`),
  wrapped('wrapped-as-text', `{"arguments": ${JSON.stringify(good)}}`),
  {
    id: 'parameter-of-two-fields',
    tools: [write],
    call: callOf('write', '{"filePath": "a.ts", "file-path": "b.ts", "content": "x"}'),
    class: 'ambiguous',
    again: callOf('write', written),
  },
  {
    id: 'field-of-two-parameters',
    tools: [toolOf('copy', objectOf({ file_path: string, filepath: string }))],
    call: callOf('copy', '{"filePath": "a.ts"}'),
    class: 'ambiguous',
    again: callOf('copy', '{"file_path": "a.ts", "filepath": "b.ts"}'),
  },
  {
    id: 'wrapped-twice-side-by-side',
    tools: [readFile],
    call: readCall('{"arguments": {"path": "a"}, "input": {"path": "b"}}'),
    class: 'ambiguous',
    again: readCall('{"path": "a"}'),
  },
  {
    id: 'fits-own-parameter-named-input',
    tools: [toolOf('run', objectOf({ input: objectOf({ path: string }) }))],
    call: callOf('run', '{"input": {"path": "a"}}'),
    class: 'fits',
  },
  {
    id: 'fits-open-object-with-arguments',
    tools: [toolOf('log', objectOf({ path: string }, []))],
    call: callOf('log', '{"arguments": {"path": "a"}}'),
    class: 'fits',
  },
  {
    id: 'fits-both-spellings-of-a-parameter',
    tools: [write],
    call: callOf('write', '{"file_path": "a.ts", "filePath": "b.ts", "content": "x"}'),
    class: 'fits',
  },
]
