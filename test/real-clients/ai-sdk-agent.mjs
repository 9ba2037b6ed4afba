// An agent on the AI SDK, of whichever line is installed in the folder that is named.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runTool, tools } from './local-tools.mjs'

const [installed, baseURL, model, prompt] = process.argv.slice(2)
const { resolve } = createRequire(join(installed, 'package.json'))
const load = (name) => import(pathToFileURL(resolve(name)).href)
const { streamText, tool, jsonSchema, stepCountIs } = await load('ai')
const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible')

const given = Object.entries(tools).map(([name, { description, schema }]) => [
  name,
  tool({ description, inputSchema: jsonSchema(schema), execute: (input) => runTool(name, input) }),
])
const stop = new AbortController()
process.on('SIGINT', () => stop.abort())
const result = streamText({
  model: createOpenAICompatible({ name: 'dragoman', baseURL, apiKey: 'any' })(model),
  tools: Object.fromEntries(given),
  stopWhen: stepCountIs(10),
  prompt,
  abortSignal: stop.signal,
  onError: ({ error }) => {
    console.error(error)
    process.exitCode = 1
  },
})
for await (const piece of result.textStream) process.stdout.write(piece)
