// Turns the plugin's options and credentials into settings of a gateway in this process.

import { dirname, resolve } from 'node:path'
import { ConfigError } from '../config/config-error.ts'
import type { Environment } from '../config/environment.ts'
import { parseConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import type { CredentialWords } from '../credentials/cursor.ts'
import type { GatewaySettings } from './gateways.ts'
import { userHostConfig } from './option-source.ts'

/** One backend, checked like one of a configuration file. */
export function backendSettings(
  name: string,
  backend: Record<string, unknown>,
  environment: Environment,
): GatewaySettings {
  const text = JSON.stringify({ auth: 'none', backends: { [name]: backend } })
  // Not relative to OpenCode's working folder: it may be a foreign repository.
  const file = userHostConfig(environment)
  const { config, secrets } = parsed(text, { environment, file })
  const { connect } = config.backends[name] ?? {}
  if (connect?.ca !== undefined) connect.ca = resolve(dirname(file), connect.ca)
  return { config: inProcess(config), secrets, connect: environment }
}

function parsed(...args: Parameters<typeof parseConfig>) {
  try {
    return parseConfig(...args)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problems = error.problems.map((problem) => problem.replace(/^backends\./, ''))
    throw new Error(`the settings cannot be used: ${problems.join('; ')}`)
  }
}

/**
 * Differences of a gateway without a port, inside a program with its own screen. Bun's HTTP/2 is unreliable (measured:
 * docs/opencode.md).
 */
export function inProcess(config: Config, isBun = 'bun' in process.versions): Config {
  const { redis: _redis, peerUrl: _peerUrl, peerSecret: _peerSecret, ...sessions } = config.sessions
  const backends = Object.fromEntries(
    Object.entries(config.backends).map(([name, backend]) => [
      name,
      backend.kind === 'cursor' && backend.transport === 'auto' && isBun
        ? { ...backend, transport: 'sse' as const }
        : backend,
    ]),
  )
  // OpenCode has its own tools and asks before it uses them.
  const exec = { ...config.exec, enabled: false }
  return { ...config, backends, sessions, exec, log: { ...config.log, level: 'warn' } }
}

export const credentialWords: CredentialWords = {
  loginCommand: 'opencode auth login',
  apiKey: 'the API key',
}
