// An agent on the openai SDK, of whichever line is installed in the folder that is named: by Responses, streamed.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runTool, tools } from './local-tools.mjs'

const [installed, baseURL, model, prompt] = process.argv.slice(2)
const { resolve } = createRequire(join(installed, 'package.json'))
const { OpenAI } = await import(pathToFileURL(resolve('openai')).href)

const client = new OpenAI({ baseURL, apiKey: 'any', maxRetries: 0 })
const given = Object.entries(tools).map(([name, { description, schema }]) => ({
  type: 'function',
  name,
  description,
  parameters: schema,
  strict: false,
}))
const stop = new AbortController()
process.on('SIGINT', () => stop.abort())
let input = [{ role: 'user', content: prompt }]
let previous
for (let turn = 0; turn < 10 && input.length > 0; turn++) {
  const stream = client.responses.stream(
    { model, input, tools: given, ...(previous ? { previous_response_id: previous } : {}) },
    { signal: stop.signal },
  )
  stream.on('response.output_text.delta', ({ delta }) => process.stdout.write(delta))
  const response = await stream.finalResponse()
  previous = response.id
  input = response.output
    .filter(({ type }) => type === 'function_call')
    .map(({ call_id, name, arguments: text }) => ({
      type: 'function_call_output',
      call_id,
      output: runTool(name, JSON.parse(text)),
    }))
}
