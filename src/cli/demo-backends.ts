// The simulators of all backends, and the settings that name them: for `demo` and for `launch --demo`.

import { startAnthropicSim } from '../../sim/anthropic.ts'
import { startCursorSim } from '../../sim/cursor.ts'
import { startGeminiSim } from '../../sim/gemini.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import { startTextSim } from '../../sim/text-chat.ts'

/** Slow enough to see the answer stream, fast enough not to wait for it. */
const paceMs = 15

export async function startDemoBackends() {
  const sims = await Promise.all([
    startAnthropicSim({ paceMs }),
    startOpenAISim({ paceMs, lenient: true }),
    startCursorSim({ paceMs }),
    startTextSim({ paceMs, lenient: true }),
    startGeminiSim({ paceMs }),
  ])
  const [anthropic, openai, cursor, text, gemini] = sims
  const chat = { kind: 'openai', baseUrl: `${openai.url}/v1`, apiKey: 'demo' }
  return {
    backends: {
      'demo-anthropic': { kind: 'anthropic', baseUrl: anthropic.url, apiKey: 'demo' },
      'demo-cursor': { kind: 'cursor', baseUrl: cursor.url, apiKey: 'crsr_demo' },
      'demo-gemini': { kind: 'gemini', baseUrl: gemini.url, apiKey: 'demo' },
      'demo-openai': chat,
      'demo-responses': { ...chat, api: 'responses' },
      'demo-text': { kind: 'openai', baseUrl: `${text.url}/v1`, apiKey: 'demo', tools: 'text' },
    },
    close: async () => {
      await Promise.all(sims.map((sim) => sim.close()))
    },
  }
}
