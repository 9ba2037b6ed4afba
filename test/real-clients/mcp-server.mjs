// A small MCP server on standard input and output, for clients that connect one: many tools, of which one tells a secret.
import { createInterface } from 'node:readline'

const topics = [
  'weather',
  'calendar',
  'tickets',
  'invoices',
  'maps',
  'music',
  'photos',
  'notes',
  'mail',
  'stocks',
]
const schema = { type: 'object', properties: { text: { type: 'string' } } }
const tools = [
  ...topics.flatMap((topic) => [
    { name: `list_${topic}`, description: `Lists ${topic}.`, inputSchema: schema },
    { name: `delete_${topic}`, description: `Deletes ${topic}.`, inputSchema: schema },
  ]),
  { name: 'magic_word', description: 'Tells the magic word of the day.', inputSchema: schema },
]

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'demo', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => ({
    content: [{ type: 'text', text: name === 'magic_word' ? 'The magic word is sesame-4711.' : 'Nothing.' }],
  }),
  ping: () => ({}),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) return
  const answer = answers[method]
  const body = answer
    ? { result: answer(params) }
    : { error: { code: -32601, message: `there is no method ${method}` } }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
})
