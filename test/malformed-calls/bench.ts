// A gateway in front of a model that makes malformed calls: a backend for each dialect and each setting of the check.

import { afterAll, beforeAll } from 'vitest'
import { claudeAt, startGateway } from '../harness.ts'
import { type Dialect, dialectsOfTheRun } from './renderings.ts'
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts'

export const modes = ['off', 'note', 'repair', 'retry'] as const
export type Mode = (typeof modes)[number]

export interface CallBench extends Omit<ScriptedModel, 'stop'> {
  close(): Promise<void>
}

const backendOf = (dialect: Dialect, url: string): Record<string, unknown> => {
  if (dialect === 'messages') return claudeAt('anthropic', url)
  if (dialect === 'bedrock' || dialect === 'vertex') return claudeAt(dialect, url)
  if (dialect === 'gemini') return { kind: 'gemini', baseUrl: url, apiKey: 'x' }
  const openai = { kind: 'openai', baseUrl: `${url}/v1`, apiKey: 'x' }
  if (dialect === 'text') return { ...openai, api: 'chat', tools: 'text' }
  return { ...openai, api: dialect }
}

/** `undefined`: the backend has no setting of its own. */
export const modelOf = (dialect: Dialect, mode?: Mode) => `${dialect}${mode ? `-${mode}` : ''}/m`

export async function startCallBench(settings: Record<string, unknown> = {}): Promise<CallBench> {
  const model = await startScriptedModel()
  const backends = dialectsOfTheRun.flatMap((dialect) => {
    const backend = backendOf(dialect, model.url)
    return [
      [dialect, backend],
      ...modes.map((check) => [`${dialect}-${check}`, { ...backend, calls: { check } }]),
    ]
  })
  const { gateway, url } = await startGateway({ backends: Object.fromEntries(backends), ...settings })
  const close = async () => {
    await gateway.close()
    model.stop()
  }
  return { url, asked: model.asked, play: model.play, close }
}

/** For all tests of a file. */
export function useCallBench(settings: Record<string, unknown> = {}): CallBench {
  const bench = {} as CallBench
  beforeAll(async () => void Object.assign(bench, await startCallBench(settings)))
  afterAll(() => bench.close())
  return bench
}
