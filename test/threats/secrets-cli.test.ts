// With every secret configured, no command prints one.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { startBedrockSim } from '../../sim/bedrock.ts'
import { startCursorSim } from '../../sim/cursor.ts'
import { startGeminiSim } from '../../sim/gemini.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import { startQwenWebSim } from '../../sim/qwen-web.ts'
import { startVertexSim } from '../../sim/vertex.ts'
import { atEnd, deadPort, get, Home } from '../cli/program.ts'
import { allCanaries, canaries, settingsOf } from './cases/secrets.ts'

const home = new Home()
const env = { CANARY: canaries.environment }
let file: string

beforeAll(async () => {
  const [openai, anthropic] = [await startOpenAISim(), await startAnthropicSim()]
  const [cursor, qwen] = [await startCursorSim(), await startQwenWebSim()]
  const gemini = await startGeminiSim()
  const [bedrock, vertex] = [await startBedrockSim(), await startVertexSim()]
  const sims = { openai, anthropic, cursor, qwen, gemini, bedrock, vertex }
  for (const sim of Object.values(sims)) atEnd(() => sim.close())
  const settings = settingsOf({ ...sims, port: await deadPort() })
  file = home.write('dragoman.jsonc', settings)
})

const toldIn = (text: string) => allCanaries.filter((canary) => text.includes(canary))

it.each(['doctor', 'models', 'status', 'config check'])('dragoman %s', async (command) => {
  const args = command === 'config check' ? ['config', 'check', file] : [command, '--config', file]
  const { output } = await home.run(args, { env })
  expect(output).toContain('openai')
  expect(toldIn(output)).toEqual([])
})

it('dragoman serve, from its start to its end, at level debug, and the files it writes', async () => {
  const args = ['serve', '--config', file, '--port', '0', '--log-level', 'debug']
  const running = await home.start(args, { env })
  await (await get(`${running.url}/v1/models`, canaries.gateway)).text()
  await (await get(`${running.url}/v1/models`, canaries.openai)).text()
  const { output } = await running.stop()
  expect(output).toContain('request refused')
  expect(toldIn(output)).toEqual([])
  for (const path of filesBelow(home.path('state'))) expect(toldIn(readFileSync(path, 'utf8'))).toEqual([])
})

it('dragoman setup shows no key, and its files are private', async () => {
  const args = ['setup', 'qwen-code', '--config', file, '--model', 'openai/gpt-demo', '--yes']
  const { output } = await home.run(args, { env })
  expect(toldIn(output)).toEqual([])
  const kept = filesBelow(home.path('data'))
  expect(kept.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([])
})

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  } catch {
    return []
  }
}
