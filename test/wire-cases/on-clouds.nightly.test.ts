// The wire cases of Anthropic's answers and requests once more, with Claude on a cloud in its place: another run of these tests, with all
// of their rows.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { startBench } from '../harness.ts'

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

const files = [
  ...['answer-calls', 'answers', 'anthropic', 'doors', 'keep-alive', 'messages-lane', 'numbers'],
  ...['repeated-ids', 'requests', 'service-rules', 'upstream-errors'],
]

it.each(['bedrock', 'vertex'])('%s', async (cloud) => {
  const { VITEST: _vitest, FORCE_COLOR: _color, ...environment } = process.env
  const env = { ...environment, CLAUDE_ON: cloud, NO_COLOR: '1' }
  const cases = files.map((name) => `test/wire-cases/${name}.test.ts`)
  const run = spawnSync(process.execPath, [vitest, 'run', ...cases], { cwd: root, env, encoding: 'utf8' })
  expect(run.status, run.stdout.slice(-2_000) + run.stderr.slice(-2_000)).toBe(0)
  expect(run.stdout).toContain(`${files.length} passed`)
})

it('is what the tests then talk to', async () => {
  const paths: string[] = []
  for (const cloud of ['bedrock', 'vertex']) {
    const bench = await startBench({ claudeOn: cloud })
    const body = { model: 'anthropic/claude-demo', messages: [{ role: 'user', content: 'hello' }] }
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    expect((await fetch(`${bench.url}/v1/chat/completions`, init)).status).toBe(200)
    paths.push(bench.anthropic.requests.at(-1)?.path ?? '')
    await bench.close()
  }
  expect(paths).toEqual([
    expect.stringMatching(/^\/model\/.*\/invoke/),
    expect.stringMatching(/^\/v1\/projects\/.*awPredict$/),
  ])
})
