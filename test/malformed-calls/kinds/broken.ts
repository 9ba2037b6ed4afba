// Arguments that are no JSON object. Native calls cannot carry them; the parser of calls in text can read some.

import { callOf, type EmittedCall, type Kind, readCall, readFile } from '../kind.ts'

const good = readCall('{"path": "src/a.ts"}')

const broken = (id: string, input: string, inText: Kind['inText'] = {}): Kind => ({
  id,
  tools: [readFile],
  call: readCall(input),
  class: 'broken',
  again: good,
  inText,
})

const readAs = (becomes: EmittedCall): Kind['inText'] => ({ class: 'mended', becomes, always: true })

export const brokenKinds: readonly Kind[] = [
  {
    id: 'text-for-all-arguments',
    tools: [readFile],
    call: readCall(JSON.stringify(good.arguments)),
    class: 'mended',
    always: true,
    becomes: good,
  },
  broken('cut-in-a-string', '{"path": "src/a'),
  broken('no-value', '{"path": }'),
  broken('list-of-arguments', '["src/a.ts"]'),
  broken('bare-text', '"src/a.ts"'),
  broken('number-of-arguments', '5'),
  broken('prose-for-arguments', 'the file src/a.ts'),
  broken('single-quotes', "{'path': 'src/a.ts'}", readAs(callOf('read_file', '{"path": "src/a.ts"}'))),
  broken('trailing-comma', '{"path": "src/a.ts",}', readAs(callOf('read_file', '{"path": "src/a.ts"}'))),
]
