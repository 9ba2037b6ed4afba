// `dragoman demo`: `serve` with embedded simulators of all backends. Any key works, and nothing leaves the machine.

import { readEnvironment } from '../config/environment.ts'
import { parseConfig } from '../config/load.ts'
import type { LogLevel } from '../observe/log.ts'
import { chosenPort } from '../process/listening.ts'
import { runGateway } from '../process/run-gateway.ts'
import { terminalLog } from '../process/terminal-log.ts'
import { startDemoBackends } from './demo-backends.ts'

export async function demo(flags: { port?: number; logLevel?: LogLevel }): Promise<void> {
  const environment = readEnvironment()
  const { backends, close: onStop } = await startDemoBackends()
  const settings = {
    auth: 'none',
    listen: { port: chosenPort(flags.port, environment.port, 18_741) },
    log: { level: flags.logLevel ?? 'info' },
    inspector: { enabled: true },
    ollama: { enabled: true },
    backends,
  }
  const { config } = parseConfig(JSON.stringify(settings), { environment })
  // `npm start` passes its own arguments after two dashes.
  const portFlag = environment.variable('npm_lifecycle_event') === 'start' ? 'npm start -- --port' : '--port'
  // With a level of its own, the log is as `serve` writes it.
  const log = flags.logLevel === undefined ? { writeLog: terminalLog({ informs: false }) } : {}
  await runGateway({ config, keys: [], onStop, hints: demoHints, portFlag, ...log }).catch(async (error) => {
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
