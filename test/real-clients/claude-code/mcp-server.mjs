// An MCP server on standard input and output with many tools, or one that connects late. Its tools answer with their own name.
import { createInterface } from 'node:readline'

const count = Number(process.env.MCP_TOOLS ?? 200)
const delayMs = Number(process.env.MCP_DELAY_MS ?? 0)
const word = { type: 'string' }
const inputSchema = { type: 'object', properties: { city: word }, required: ['city'] }
const filler = (at) => ({
  name: `report_${at}`,
  description: `Writes report number ${at} about a city's budget, roads and schools.`,
  inputSchema,
})
const forecast = {
  name: 'forecast',
  description: 'The weather forecast of a city for tomorrow.',
  inputSchema,
  // Claude Code offers such a tool at once, without a search for it.
  ...(process.env.MCP_ALWAYS_LOAD ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
}
const tools = [forecast, ...Array.from({ length: count - 1 }, (_, at) => filler(at + 1))]

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'weather', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: { city } }) => ({
    content: [{ type: 'text', text: `${name} of ${city}: sunny, 21 degrees` }],
  }),
  ping: () => ({}),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  if (method === 'initialize' && delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
  const answer = answers[method]
  const outcome = answer ? { result: answer(params) } : { error: { code: -32601, message: 'unknown method' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`)
}
