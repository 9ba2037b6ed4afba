// From what the user has said to the settings of a gateway in this process.

import type { Environment } from '../config/environment.ts'
import { parseConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import type { CredentialWords } from '../credentials/cursor.ts'
import type { GatewaySettings } from './gateways.ts'

/** One backend, checked as one of a configuration file. */
export function backendSettings(
  name: string,
  backend: Record<string, unknown>,
  environment: Environment,
): GatewaySettings {
  const text = JSON.stringify({ auth: 'none', backends: { [name]: backend } })
  const { config, secrets } = parseConfig(text, { environment })
  return { config: inProcess(config), secrets, connect: environment }
}

/**
 * What a gateway without a port, in a program with a screen of its own, does otherwise. Bun's HTTP/2 is not to be trusted
 * (measured: docs/opencode.md).
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
  return { ...config, backends, sessions, log: { level: 'warn' } }
}

export const credentialWords: CredentialWords = {
  loginCommand: 'opencode auth login',
  apiKey: 'the API key',
}
