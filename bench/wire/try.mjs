// quick experiments: node bench/wire/try.mjs BACKEND MODELS ROUNDS [SECONDS]
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createAgent, measure } from './load.mjs'
import { cores, pinSelf, startServer } from './processes.mjs'
const here = (p) => fileURLToPath(new URL(p, import.meta.url))
const [backend = 'anthropic', models = 'w1,w2b,w2,w3,w4c,w5,w5l', rounds = '3', seconds = '1.5', root = here('../..'), door='chat'] = process.argv.slice(2)
pinSelf(cores.others)
const upstream = await startServer('node', [here('./upstream.mjs')], { core: cores.others })
const folder = mkdtempSync(join(tmpdir(), 'bench-'))
const config = { auth: { keys: [{ name: 'bench', key: 'sk-bench-key' }] }, listen: { port: 0 }, log: { level: 'info' }, backends: { anthropic: { kind: 'anthropic', baseUrl: upstream.url, apiKey: 'k' }, openai: { kind: 'openai', baseUrl: `${upstream.url}/v1`, apiKey: 'k' } } }
writeFileSync(join(folder, 'c.json'), JSON.stringify(config))
const env = { XDG_STATE_HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
const extra = process.env.NODE_ARGS ? process.env.NODE_ARGS.split(' ') : []
const start = (dir, name) => startServer('node', [...extra, join(dir, 'dist/src/cli.js'), 'serve', '--config', join(folder, 'c.json')], { core: cores.subject, env }).then((s) => ({ ...s, name, door, modelName: (m) => `${backend}/${m}`, agent: createAgent(), listening: true }))
const rawDoor = backend === 'anthropic' ? 'messages' : 'chat'
const subjects = [
  { ...(await startServer('node', [here('../subjects/raw-pipe.mjs'), upstream.url], { core: cores.subject })), name: 'raw', door: rawDoor, agent: createAgent(), listening: true },
]
for (const f of (process.env.EXTRA ?? '').split(',').filter(Boolean)) subjects.push({ ...(await startServer('node', [...(process.env.NODE_ARGS ? process.env.NODE_ARGS.split(' ') : []), f, upstream.url], { core: cores.subject })), name: f.split('/').at(-1), door: rawDoor, agent: createAgent(), listening: true })
for (const [i, dir] of root.split(',').entries()) subjects.push(await start(dir, root.includes(',') ? `d${i}` : 'dragoman'))
const med = (a) => a.toSorted((x, y) => x - y)[Math.floor(a.length / 2)]
const q = (a, s) => { const t = a.toSorted((x, y) => x - y); return t[Math.min(t.length - 1, Math.floor(t.length * s))] }
for (const model of models.split(',')) {
  const got = new Map(subjects.map((s) => [s.name, []]))
  for (const s of subjects) await measure(s, model, { seconds: 1 })
  for (let r = 0; r < +rounds; r++) for (const s of r % 2 ? subjects.toReversed() : subjects) got.get(s.name).push(await measure(s, model, { seconds: +seconds }))
  const raw = med(got.get('raw').map((m) => m.cpuUs))
  for (const [name, ms] of got) {
    const cpu = med(ms.map((m) => m.cpuUs))
    console.log(model.padEnd(4), name.padEnd(9), cpu.toFixed(2).padStart(9), `${(cpu / raw).toFixed(2)}x`, 'w', med(ms.map((m) => m.writes)).toFixed(2), 'r', med(ms.map((m) => m.reads)).toFixed(2), 'n', ms[0].requests, 'first', q(ms.flatMap((m) => m.firstUs), 0.5), q(ms.flatMap((m) => m.firstUs), 0.99), 'delay', q(ms.flatMap((m) => m.delaysUs), 0.5), q(ms.flatMap((m) => m.delaysUs), 0.99), ms[0].resident ? (ms[0].resident / 2 ** 20).toFixed(0) + 'MB' : '')
  }
}
for (const s of subjects) await s.stop()
await upstream.stop()
process.exit()
