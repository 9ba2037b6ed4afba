// The demo's built-in model on every kind of backend: what docs/probe.md says that it gets.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { startCursorSim } from '../../sim/cursor.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import { startTextSim } from '../../sim/text-chat.ts'
import { atTestEnd } from '../at-end.ts'
import { spread } from '../depth.ts'
import { tryModel } from './personas.ts'

const docs = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'probe.md'), 'utf8')

const backends = {
  openai: async () => ({ kind: 'openai', baseUrl: `${(await at(startOpenAISim())).url}/v1` }),
  anthropic: async () => ({ kind: 'anthropic', baseUrl: (await at(startAnthropicSim())).url, apiKey: 'x' }),
  cursor: async () => ({ kind: 'cursor', baseUrl: (await at(startCursorSim())).url, apiKey: 'crsr_x' }),
  text: async () => ({ kind: 'openai', baseUrl: `${(await at(startTextSim())).url}/v1`, tools: 'text' }),
}

async function at<T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const sim = await starting
  atTestEnd(() => sim.close())
  return sim
}

describe('the demo model', () => {
  const models = [
    ['openai', 'gpt-demo'],
    ['anthropic', 'claude-demo'],
    ['cursor', 'composer-2'],
    ['text', 'text-demo'],
  ] as const
  it.each(spread(models, 1))('%s/%s', async (name, model) => {
    const { report, run } = await tryModel('', {
      model: `box/${model}`,
      settings: { backends: { box: await backends[name]() } },
    })
    const { score, passed, total, blame } = report
    expect(blame).toMatchObject({ upstream: 0, gateway: 0 })
    // Who is to blame for a call that nobody could demand: the card has what the gateway said about it.
    if (name === 'cursor')
      expect(run('tool-choice.required').notes.join()).toContain(
        'this backend cannot be forced to call a tool',
      )
    expect(docs).toContain(`| \`demo-${name}/${model}\` | ${score} | ${passed} of ${total} |`)
  })
})
