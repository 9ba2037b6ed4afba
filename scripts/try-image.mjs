// `node scripts/try-image.mjs IMAGE`: a container of the image answers: health, a tool call of the demo, the inspector's page.
// It needs Docker.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'

const [image] = process.argv.slice(2)
if (!image) {
  console.error('Name the image: node scripts/try-image.mjs dragoman')
  process.exit(2)
}
const docker = (...args) => execFileSync('docker', args, { encoding: 'utf8' }).trim()
const port = 18_799
const url = `http://127.0.0.1:${port}`
// The demo listens on loopback alone: the container shares the network of this machine.
const id = docker(
  'run',
  '--detach',
  '--rm',
  '--read-only',
  '--tmpfs',
  '/tmp',
  '--network',
  'host',
  image,
  'demo',
  '--port',
  `${port}`,
)

async function answers() {
  for (let tries = 0; tries < 50; tries++) {
    const health = await fetch(`${url}/healthz`).catch(() => undefined)
    if (health?.ok) return
    await wait(200)
  }
  throw new Error(`No answer at ${url}:\n${docker('logs', id)}`)
}

try {
  await answers()
  const page = await fetch(url, { headers: { accept: 'text/html' } })
  assert.ok((await page.text()).includes('/inspector/app.js'), 'the page of the inspector is missing')
  const script = await fetch(`${url}/inspector/app.js`)
  assert.equal(script.status, 200, 'the script of the page is missing')
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'demo-cursor/composer-2',
      messages: [{ role: 'user', content: 'Read a.txt' }],
      tools: [
        {
          type: 'function',
          function: {
            name: 'read',
            parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
          },
        },
      ],
    }),
  })
  const body = await answer.json()
  assert.equal(body.choices?.[0]?.finish_reason, 'tool_calls', JSON.stringify(body))
  console.log('ok   the image answers: health, page, a tool call')
} finally {
  docker('kill', id)
}
