// The commands of the documents, run as they stand by a user who has a configuration, a running gateway and a recorded turn.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { startCursorSim } from '../../sim/cursor.ts'
import { atEnd } from '../at-end.ts'
import { blocks, called, root } from './doc-blocks.ts'
import { deadPort, Home } from './program.ts'

/** What needs more than that, and the test that runs it. A line begins with these words. */
const elsewhere: Record<string, string> = {
  login: 'a browser: test/cli/login.test.ts',
  conform: 'another gateway: test/cli/conform.test.ts',
  'probe box/qwen3-coder': 'consent, and a model: test/cli/probe.test.ts',
  'probe box/qwen3-coder --tune': 'the same: test/cli/probe-tune.test.ts',
  'probe demo-openai/gpt-demo': 'minutes: test/probe/demo.test.ts',
  'serve --workers': 'four processes: test/cli/workers.test.ts',
  'serve --config scaling.jsonc': 'Redis: test/cli/deploy.test.ts',
  'inspect bug.jsonl --open': 'a browser: test/cli/inspect.test.ts',
  service: "changes of the user's own services: test/platforms/service-run.test.ts",
  init: 'consent: test/cli/init.test.ts',
  launch: 'a client: test/cli/launch.test.ts',
  setup: 'consent, and models: test/cli/doc-transcripts.test.ts',
}
const safeSetup = 'setup CLIENT --print'

const lines = [...new Set(called('dragoman').map(({ words }) => words.slice(1).join(' ')))]
const reasons = Object.keys(elsewhere).sort((a, b) => b.length - a.length)
const reasonOf = (line: string) =>
  line === safeSetup ? undefined : reasons.find((words) => `${line} `.startsWith(`${words} `))
const run = lines.filter((line) => reasonOf(line) === undefined)

it('what is not run here is run elsewhere', () => {
  expect(new Set(lines.flatMap((line) => reasonOf(line) ?? []))).toEqual(new Set(reasons))
  for (const reason of Object.values(elsewhere))
    expect(existsSync(join(root, reason.split(': ')[1] ?? '')), reason).toBe(true)
  expect(run.length).toBeGreaterThan(12)
})

const home = new Home()
const settings = {
  env: {
    XDG_CONFIG_HOME: home.path('.config'),
    XDG_DATA_HOME: home.path('.local', 'share'),
    XDG_STATE_HOME: home.path('.local', 'state'),
  },
}
let turn = ''

beforeAll(async () => {
  const sim = await startCursorSim()
  atEnd(() => sim.close())
  home.write('.config/dragoman/config.jsonc', {
    auth: 'none',
    listen: { port: await deadPort() },
    backends: { cursor: { kind: 'cursor', baseUrl: sim.url, apiKey: 'crsr_test' } },
  })
  const script = blocks.find(
    ({ document, language }) => document === 'docs/simulators.md' && language === 'jsonl',
  )
  home.write('work/two-calls.jsonl', script?.text ?? '')
  const gateway = await home.start(['serve', '--record'], settings)
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'cursor/composer-2', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await answer.text()
  turn = answer.headers.get('x-dragoman-turn') ?? ''
})

/** The words of a line as they are here: another home folder, turn and port. */
const wordsOf = (line: string) =>
  line
    .replace(/turn_\w+/, turn)
    .replace('~', home.folder)
    .replace('CLIENT', 'claude-code')
    .split(' ')

const staying = run.filter((line) => /^(?:serve|sim|inspect)\b/.test(line))

describe('ends well', () => {
  // In the order of the documents: a tape is exported before it is replayed from its file.
  it.each(run.filter((line) => !staying.includes(line)))('dragoman %s', async (line) => {
    const { code, output } = await home.run(wordsOf(line), settings)
    expect(code, output).toBe(0)
  })
})

describe('starts', () => {
  it.each(staying)('dragoman %s', async (line) => {
    const words = wordsOf(line)
    const at = words.indexOf('--port')
    // The port of the document may be taken; `inspect` takes a free one by itself.
    const free = at < 0 ? words : words.toSpliced(at, 2)
    const running = await home.start(words[0] === 'inspect' ? words : [...free, '--port', '0'], settings)
    expect(running.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    await running.stop()
  })
})
