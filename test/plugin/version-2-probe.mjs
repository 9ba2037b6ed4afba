// Runs under the Bun that is in OpenCode: the half of the plugin for OpenCode 2, in the least context that it takes. It prints
// one line of JSON: what came of a tool call, of a large request, of a cancel and of a foreign key. Called with the module and the control port of
// the simulator.

const [module, control] = process.argv.slice(2)
const tell = async (order, value) =>
  (
    await fetch(`${control}/${order}${value === undefined ? '' : `?with=${encodeURIComponent(value)}`}`)
  ).json()

const { default: plugin } = await import(module)
let registered
const cleanup = await plugin.setup({
  location: { directory: process.cwd() },
  provider: {
    async transform(change) {
      change({
        get: () => undefined,
        add(record) {
          registered = record
        },
      })
    },
  },
})
const { settings } = registered.info
const ask = (content, { key = settings.apiKey, ...init } = {}) =>
  fetch(`${settings.baseURL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model: 'box/composer-2',
      stream: true,
      messages: [{ role: 'user', content }],
      tools: [
        { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } },
      ],
    }),
    ...init,
  })

const call = await (await ask('Call look with {}')).text()
// Larger than what a connection buffers.
const large = await (await ask(`Say hello ${'x'.repeat(8_000_000)}`)).text()
await tell('play', JSON.stringify({ when: { text: 'slowly' }, steps: [{ say: 'Begun.' }, { wait: 60_000 }] }))
const { open: before } = await tell('state')
const stop = new AbortController()
const reader = (await ask('slowly', { signal: stop.signal })).body.getReader()
await reader.read()
stop.abort()
let open = before + 1
for (let tries = 0; tries < 100 && open > before; tries++) {
  await new Promise((resolve) => setTimeout(resolve, 100))
  ;({ open } = await tell('state'))
}
const foreign = (await ask('hi', { key: 'another' })).status
await cleanup()
// Bun keeps a connection that is open, but the key is gone.
const closed = await ask('hi').then(
  ({ status }) => status === 401,
  () => true,
)
process.stdout.write(
  `${JSON.stringify({
    bun: 'bun' in process.versions,
    call: call.includes('"name":"look"'),
    large: large.includes('"finish_reason":"stop"'),
    cancelled: open === before,
    foreign,
    closed,
  })}\n`,
)
process.exit(0)
