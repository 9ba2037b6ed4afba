// A gateway with its inspector on, before an upstream that answers at once; filled with turns.
import http from 'node:http'

const content = 'const value = lookUp("key", { depth: 2 }) // as before\n'

const answerTo = (model) => {
  const isLarge = model.startsWith('large')
  const bytes = Number(model.split('-')[1] ?? 0)
  const input = JSON.stringify({ path: 'a.ts', content: content.repeat(Math.ceil(bytes / content.length)) })
  const call = { id: 'call_1', type: 'function', function: { name: 'write_file', arguments: input } }
  const message = isLarge
    ? { role: 'assistant', content: null, tool_calls: [call] }
    : { role: 'assistant', content: `An answer of **some** words by ${model}.` }
  return {
    ...{ id: 'x', object: 'chat.completion', created: 1, model },
    choices: [{ index: 0, message, finish_reason: isLarge ? 'tool_calls' : 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
  }
}

async function startUpstream() {
  const server = http.createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answerTo(JSON.parse(text).model)))
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const parameters = { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } }
const tools = [{ type: 'function', function: { name: 'write_file', parameters } }]

/** `dist`: of the build. Resolves with the gateway, its address and ways to ask. */
export async function startInspected(dist, { turns }) {
  const upstream = await startUpstream()
  const { createGateway, parseConfig, readEnvironment } = await import(`${dist}/src/index.js`)
  const baseUrl = `http://127.0.0.1:${upstream.address().port}/v1`
  const settings = {
    ...{ auth: 'none', listen: { port: 0 }, log: { level: 'silent' } },
    backends: { up: { kind: 'openai', baseUrl, apiKey: 'none' } },
    inspector: { enabled: true, turns: turns + 10, bytes: 268_435_456 },
  }
  const { config } = parseConfig(JSON.stringify(settings), {
    environment: readEnvironment({ HOME: '/nonexistent' }),
  })
  const gateway = await createGateway({ config, keys: [] })
  const url = await gateway.listen()

  async function ask(model, prompt) {
    const body = { model: `up/${model}`, messages: [{ role: 'user', content: prompt }], tools }
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    await response.arrayBuffer()
  }

  async function fill(count) {
    let next = 0
    const work = async () => {
      while (next < count) {
        const at = next++
        await ask(`m${at % 7}`, `Question ${at} of the bench: what is in file ${at % 40}?`)
      }
    }
    await Promise.all(Array.from({ length: 8 }, work))
  }

  return {
    ask,
    fill,
    link: () => gateway.inspector.link(url),
    async close() {
      await gateway.close()
      upstream.closeAllConnections()
      await new Promise((resolve) => upstream.close(resolve))
    },
  }
}
