// `dragoman demo`: `serve` with embedded simulators of all backends. Any key works, and nothing leaves the machine.

import { startAnthropicSim } from '../../sim/anthropic.ts'
import { startCursorSim } from '../../sim/cursor.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import { startTextSim } from '../../sim/text-chat.ts'
import { readEnvironment } from '../config/environment.ts'
import { parseConfig } from '../config/load.ts'
import type { LogLevel } from '../observe/log.ts'
import { chosenPort } from '../process/listening.ts'
import { runGateway } from '../process/run-gateway.ts'

/** Slow enough to see the answer stream, fast enough not to wait for it. */
const paceMs = 15

export async function demo(flags: { port?: number; logLevel?: LogLevel }): Promise<void> {
  const environment = readEnvironment()
  const sims = await Promise.all([
    startAnthropicSim({ paceMs }),
    startOpenAISim({ paceMs, lenient: true }),
    startCursorSim({ paceMs }),
    startTextSim({ paceMs, lenient: true }),
  ])
  const [anthropic, openai, cursor, text] = sims
  const settings = {
    auth: 'none',
    listen: { port: chosenPort(flags.port, environment.port, 18_741) },
    log: { level: flags.logLevel ?? 'warn' },
    inspector: { enabled: true },
    backends: {
      'demo-anthropic': { kind: 'anthropic', baseUrl: anthropic.url, apiKey: 'demo' },
      'demo-cursor': { kind: 'cursor', baseUrl: cursor.url, apiKey: 'crsr_demo' },
      'demo-openai': { kind: 'openai', baseUrl: `${openai.url}/v1`, apiKey: 'demo' },
      'demo-responses': {
        kind: 'openai',
        baseUrl: `${openai.url}/v1`,
        apiKey: 'demo',
        api: 'responses',
      },
      'demo-text': { kind: 'openai', baseUrl: `${text.url}/v1`, apiKey: 'demo', tools: 'text' },
    },
  }
  const { config } = parseConfig(JSON.stringify(settings), { environment })
  const onStop = async () => {
    await Promise.all(sims.map((sim) => sim.close()))
  }
  // `npm start` passes its own arguments after two dashes.
  const portFlag = environment.variable('npm_lifecycle_event') === 'start' ? 'npm start -- --port' : '--port'
  await runGateway({ config, keys: [], onStop, hints: demoHints, portFlag }).catch(async (error) => {
    await onStop()
    throw error
  })
}

function demoHints(url: string): string[] {
  return [
    '',
    'All backends are simulated: no account, no key, nothing leaves this machine. Try:',
    '',
    `  curl -N ${url}/v1/chat/completions -H 'content-type: application/json' -d '{`,
    '    "model": "demo-anthropic/claude-demo", "stream": true,',
    '    "messages": [{"role": "user", "content": "Read README.md"}],',
    '    "tools": [{"type": "function", "function": {"name": "read_file", "parameters":',
    '      {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}}]}\'',
    '',
    `or point any OpenAI-compatible agent at ${url}/v1, or Claude Code at ${url}, with any key. Ctrl-C stops it.`,
  ]
}
