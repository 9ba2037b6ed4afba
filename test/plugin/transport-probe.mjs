// Runs under Bun (BUN_BE_BUN=1 opencode run …) or Node: the gateway in this process against a simulator, by one transport.
// Prints one line per scenario: what happened, and how long it took.

import { setTimeout as sleep } from 'node:timers/promises'

const { package: folder, sim, control, transport, ca, parkSeconds = 70, only } = JSON.parse(process.argv[2])
const { createGateway, parseConfig } = await import(`${folder}/dist/src/index.js`)

const environment = { variable: () => undefined, homeFolder: '/' }
const settings = {
  auth: 'none',
  backends: {
    cursor: {
      kind: 'cursor',
      baseUrl: sim,
      apiKey: 'crsr_probe',
      transport,
      ...(ca ? { connect: { ca } } : {}),
    },
  },
}
const { config } = parseConfig(JSON.stringify(settings), { environment })
const gateway = await createGateway({
  config,
  keys: [],
  writeLog: (line) => process.env.PROBE_LOG && process.stderr.write(line),
})
const tell = async (order, value) =>
  (
    await fetch(`${control}/${order}${value === undefined ? '' : `?with=${encodeURIComponent(value)}`}`)
  ).json()

const tools = [
  {
    type: 'function',
    function: {
      name: 'look',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  },
]

async function ask(messages, { signal, withTools = true } = {}) {
  const body = { model: 'cursor/composer-2', stream: true, messages, ...(withTools ? { tools } : {}) }
  const request = new Request('http://dragoman.internal/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
  return gateway.fetch(request)
}

async function read(response) {
  const text = await response.text()
  const chunks = text
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
  const calls = new Map()
  for (const call of chunks.flatMap((chunk) => chunk.choices?.[0]?.delta?.tool_calls ?? [])) {
    const known = calls.get(call.index) ?? { id: call.id, name: call.function.name, arguments: '' }
    known.arguments += call.function.arguments ?? ''
    calls.set(call.index, known)
  }
  return {
    status: response.status,
    session: response.headers.get('x-dragoman-session'),
    text: chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? '').join(''),
    error:
      chunks.find((chunk) => chunk.error)?.error?.message ??
      (response.status === 200 ? undefined : text.slice(0, 200)),
    calls: [...calls.values()],
  }
}

const question = (text) => [{ role: 'user', content: text }]
const answered = (messages, calls, text) => [
  ...messages,
  {
    role: 'assistant',
    content: null,
    tool_calls: calls.map(({ id, name, arguments: input }) => ({
      id,
      type: 'function',
      function: { name, arguments: input },
    })),
  },
  ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: text })),
]
const call = 'Call look with {"path":"a.txt"}'

async function callThenResult(between = async () => undefined) {
  const asked = question(call)
  const first = await read(await ask(asked))
  if (first.calls.length === 0) return { problem: `no call: ${first.error ?? first.text}` }
  await between()
  const second = await read(await ask(answered(asked, first.calls, 'RESULT-4711')))
  return {
    problem: second.error ?? (/4711/.test(second.text) ? undefined : second.text.slice(0, 120)),
    session: second.session,
  }
}

const scenarios = {
  'call and result': () => callThenResult(),
  'flood of 8 MB': async () => {
    await tell('play', JSON.stringify({ steps: [{ flood: { deltas: 8_000, text: 'x'.repeat(1_000) } }] }))
    const { text, error } = await read(await ask(question('flood'), { withTools: false }))
    return { problem: error ?? (text.length >= 8_000_000 ? undefined : `${text.length} characters`) }
  },
  '30 at once': async () => {
    const all = await Promise.all(Array.from({ length: 30 }, () => callThenResult()))
    return {
      problem: all.find(({ problem }) => problem)?.problem,
      session: [...new Set(all.map(({ session }) => session))].join(),
    }
  },
  [`parked ${parkSeconds} s`]: () => callThenResult(() => sleep(parkSeconds * 1000)),
  'broken while parked': () => callThenResult(() => tell('breakRuns').then(() => sleep(300))),
  'GOAWAY while parked': () => callThenResult(() => tell('goAway', 0).then(() => sleep(300))),
  'GOAWAY(ENHANCE) while parked': () => callThenResult(() => tell('goAway', 11).then(() => sleep(300))),
  'broken before the first message': async () => {
    await tell('breakNext', 1)
    return callThenResult()
  },
  'frozen 20 s, then thawed': () =>
    callThenResult(async () => {
      await tell('freeze')
      await sleep(20_000)
      await tell('thaw')
    }),
  cancel: async () => {
    const before = await tell('state')
    await tell('play', JSON.stringify({ steps: [{ say: 'one ' }, { wait: 60_000 }, { say: 'two' }] }))
    const stop = new AbortController()
    const response = await ask(question('slowly'), { signal: stop.signal, withTools: false })
    const reader = response.body.getReader()
    await reader.read()
    stop.abort()
    const ended = await reader.read().then(
      ({ done }) => (done ? 'ended' : 'more'),
      () => 'rejected',
    )
    for (let tries = 0; tries < 50; tries++) {
      const now = await tell('state')
      if (now.open <= before.open) return { problem: ended === 'more' ? 'more came' : undefined }
      await sleep(100)
    }
    return { problem: 'the run is still open upstream' }
  },
  'after all that': () => callThenResult(),
}

for (const [name, scenario] of Object.entries(scenarios)) {
  if (only && !name.includes(only)) continue
  const began = performance.now()
  const outcome = await Promise.race([
    scenario().catch((error) => ({ problem: `threw ${error?.message ?? error}` })),
    sleep((parkSeconds + 60) * 1000).then(() => ({ problem: 'hangs' })),
  ])
  const ms = Math.round(performance.now() - began)
  const { session, problem } = outcome
  process.stdout.write(
    `${problem ? 'FAIL' : 'ok  '} ${name}: ${ms} ms${session ? `, ${session}` : ''}${problem ? `, ${problem}` : ''}\n`,
  )
}
const { violations, http } = await tell('state')
process.stdout.write(
  `${http.join(', ')}; ${violations.length} violations${violations.length ? `: ${violations.slice(0, 3).join(' | ')}` : ''}\n`,
)
await gateway.close()
process.exit(0)
