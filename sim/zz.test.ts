import { readdirSync, readFileSync } from 'node:fs'
import { it } from 'vitest'
import { startAnthropicSim } from './anthropic.ts'
import { startOpenAISim } from './openai.ts'
it('captures', async () => {
  const strict = await startOpenAISim()
  const lenient = await startOpenAISim({ lenient: true })
  const anth = await startAnthropicSim()
  const dir = '/root/.cache/dragoman-clients/captures/'
  for (const f of readdirSync(dir).sort()) {
    const c = JSON.parse(readFileSync(dir + f, 'utf8'))
    if (!c.body?.messages) continue
    const isA = c.path.includes('messages')
    for (const [n, sim] of isA ? [['a', anth] as const] : [['strict', strict] as const, ['lenient', lenient] as const]) {
      const r = await fetch(sim.url + (isA ? '/v1/messages' : '/v1/chat/completions'), { method: 'POST', headers: { 'anthropic-version': 'x' }, body: JSON.stringify({ ...c.body, stream: undefined, stream_options: undefined }) })
      const t = await r.json() as any
      process.stdout.write(`=> ${f} ${n} ${r.status} ${JSON.stringify(t.choices?.[0]?.message ?? t.content ?? t).slice(0, 400)}\n`)
    }
  }
})
