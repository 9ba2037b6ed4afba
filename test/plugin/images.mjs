// `dragoman setup opencode`, then OpenCode with an image: it reaches the gateway if the model reads images.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { crc32, deflateSync } from 'node:zlib'
import { Workplace } from './workplace.mjs'

/** A gateway as far as OpenCode needs one: it lists models, keeps requests and says OK. */
async function startGateway(models) {
  const bodies = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const bytes of request) text += bytes
    if (request.method === 'GET') return response.end(JSON.stringify({ data: models }))
    bodies.push(text)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const choices = [{ index: 0, delta: { role: 'assistant', content: 'OK' }, finish_reason: 'stop' }]
    response.end(`data: ${JSON.stringify({ id: 'c', choices })}\n\ndata: [DONE]\n\n`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${server.address().port}`, bodies, stop: () => server.close() }
}

/** A red square. */
function png(size = 8) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    check.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, check])
  }
  const head = Buffer.from([0, 0, 0, size, 0, 0, 0, size, 8, 2, 0, 0, 0])
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(size * 3).fill(Buffer.from([255, 0, 0]))])
  const pixels = deflateSync(Buffer.concat(Array(size).fill(row)))
  const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([start, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

export function imageSteps({ binary, installed }) {
  const model = (id, modalities) => ({
    id,
    context_length: 100_000,
    ...(modalities && { input_modalities: modalities }),
  })

  async function sentBy(id) {
    const models = [model('box/sees', ['text', 'image']), model('box/blind', ['text']), model('box/unknown')]
    const gateway = await startGateway(models)
    const place = new Workplace({ binary, plugin: [] })
    place.write('red.png', png())
    const command = `${installed}/dist/src/cli.js`
    await place.module(command, ['setup', 'opencode', '--yes', '--model', id, '--url', gateway.url])
    const { text } = await place.opencode(['run', 'Which colour?', '-f', 'red.png'])
    place.remove()
    gateway.stop()
    assert.match(text, /OK/)
    return gateway.bodies.some(
      (body) => body.includes('"image_url"') && body.includes('data:image/png;base64,'),
    )
  }

  return {
    async 'entry: an image for a model that reads images, after set-up'() {
      assert.equal(await sentBy('box/sees'), true)
    },

    async 'entry: an image for a model that does not'() {
      assert.equal(await sentBy('box/blind'), false)
    },
  }
}
