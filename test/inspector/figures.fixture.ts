// A busy hour: made by the code that counts real turns, on a clock of its own.

import type { FiguresAnswer } from '../../src/inspector/api.ts'
import type { Cost } from '../../src/observe/cost.ts'
import { Figures } from '../../src/observe/figures.ts'

const models = [
  { backend: 'anthropic', model: 'claude-opus-5', client: 'claude-code', price: 0.031 },
  { backend: 'openai', model: 'gpt-5.4', client: 'codex', price: 0.012 },
  { backend: 'cursor', model: 'composer-2', client: 'opencode', price: undefined },
  { backend: 'box', model: 'qwen3-coder-480b', client: undefined, price: undefined },
]
const tools = ['read_file', 'edit_file', 'bash', 'grep', 'web_search']

export function madeHour(): FiguresAnswer {
  const clock = { at: Date.now() - 59 * 60_000 }
  const figures = new Figures(() => clock.at)
  // Not random: pictures of it can be compared.
  let seed = 7
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (let minute = 0; minute < 60; minute++, clock.at += 60_000)
    for (let turn = next(9) + Math.round(6 + 5 * Math.sin(minute / 9)); turn > 0; turn--) {
      const { backend, model, client, price } = models[Math.min(next(5), 3)] as (typeof models)[number]
      const input = 4_000 + next(60_000)
      const cost: Cost =
        price === undefined
          ? { unknown: backend === 'cursor' ? 'plan' : 'no-price' }
          : { dollars: price * (1 + next(10) / 10), source: 'configuration' }
      const error = next(60) === 0 ? ['rate-limited', 'timeout', 'upstream-unavailable'][next(3)] : undefined
      figures.add({
        ...{
          key: next(3) === 0 ? 'ci' : 'laptop',
          client,
          backend,
          model,
          outcome: error ?? 'tool-calls',
          error,
          callIds: [],
        },
        ...{
          tools: error ? [] : [tools[next(5)] as string],
          inputTokens: input,
          outputTokens: 200 + next(900),
        },
        ...{
          cacheReadTokens:
            backend === 'anthropic' ? Math.round(input * 0.83) : backend === 'openai' ? 0 : undefined,
          reasoningTokens: next(400),
        },
        ...{ cost, milliseconds: 3_000 + next(9_000), firstOutputMs: error ? undefined : 300 + next(2_500) },
        ...{
          results: { toolMs: next(4_000) },
          retries: next(40) === 0 ? 1 : 0,
          fallbacks: next(150) === 0 ? 1 : 0,
        },
        repairs:
          next(25) === 0
            ? [['no-call-id', 'call-repaired', 'arguments', 'no-finish'][next(4)] as string]
            : [],
        session: backend === 'cursor' ? (next(9) === 0 ? 'fresh' : 'live') : undefined,
      })
    }
  clock.at -= 60_000
  return {
    ...{ version: '0.1.0', at: Date.now(), processes: 4, missing: [] },
    ...figures.snapshot(60),
    sessions: [{ backend: 'cursor', answering: 2, waiting: 5, waitingBytes: 90_000, sessions: [] }],
    accounts: [],
  }
}
