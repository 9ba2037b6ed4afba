// The providers for OpenCode: one for each kind of credential, because OpenCode binds credentials to providers, and one for
// the backends of a configuration file.

import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { fromHome } from '../base/platform/expand.ts'
import type { Environment } from '../config/environment.ts'
import { findConfigFile, loadConfig } from '../config/load.ts'
import type { Model } from '../core/backend.ts'
import { type CursorSettings, cursorSettings } from '../credentials/cursor-settings.ts'
import { createLoginStore } from '../credentials/store.ts'
import { browserLogin } from './cursor-login.ts'
import type { GatewaySettings } from './gateways.ts'
import type { AuthMethod, HostAuth } from './host.ts'
import type { ModelsOptions } from './models.ts'
import { OptionsError, type PluginOptions } from './options.ts'
import type { Report } from './report.ts'
import { backendSettings, credentialWords, inProcess } from './settings.ts'

interface ProviderContext {
  options: PluginOptions
  environment: Environment
  /** OpenCode's stored credential for this provider. */
  auth: HostAuth | undefined
}

export interface LoginContext {
  options(): PluginOptions
  environment: Environment
  report: Report
  signal: AbortSignal
}

export interface ProviderKind {
  id: string
  name: string
  /** OpenCode's client package, which decides the door. */
  npm: '@ai-sdk/openai-compatible' | '@ai-sdk/anthropic'
  models: ModelsOptions
  /** Offered if the service does not answer. */
  fallback: readonly Model[]
  methods?(context: LoginContext): AuthMethod[]
  /** Environment variables that hold an API key. */
  variables?: readonly string[]
  /** Undefined without a credential: the provider is then hidden. */
  settings(context: ProviderContext): Promise<GatewaySettings | undefined>
}

export const cursor: ProviderKind = {
  id: 'dragoman-cursor',
  name: 'Cursor (Dragoman)',
  npm: '@ai-sdk/openai-compatible',
  models: { prefix: 'cursor/', efforts: 'reasoning-effort' },
  // Every account has this model, and a call of it returns the real error.
  fallback: [{ id: 'auto', displayName: 'Auto', contextTokens: 200_000 }],
  methods: ({ options, environment, ...rest }) => [
    browserLogin({
      settings: () => cursorBackend(options(), environment).cursor,
      environment,
      ...rest,
    }),
    { type: 'api', label: 'Cursor API key' },
  ],
  variables: ['CURSOR_API_KEY'],
  async settings({ options, environment, auth }) {
    if (auth?.type === 'api') return cursorBackend(options, environment, { apiKey: auth.key }).settings
    const { settings, cursor } = cursorBackend(options, environment)
    const given = cursor.apiKey ?? cursor.accessToken
    if (auth?.type !== 'oauth')
      return given || environment.variable('CURSOR_API_KEY') || environment.variable('CURSOR_ACCESS_TOKEN')
        ? settings
        : undefined
    const { origin } = new URL(cursor.baseUrl)
    const login = await createLoginStore(environment.dataFolder).read({ provider: 'cursor', origin })
    if (!login && !given)
      throw new Error(`The Cursor login for ${origin} is gone; run \`opencode auth login\`.`)
    // The user chose the login: environment variables do not override it.
    const { variable: _variable, ...connect } = settings.connect
    return { ...settings, connect }
  },
}

interface CursorBackend {
  settings: GatewaySettings
  cursor: CursorSettings
}

function cursorBackend(
  options: PluginOptions,
  environment: Environment,
  credential: { apiKey?: string } = {},
): CursorBackend {
  const backend = { kind: 'cursor', ...options.cursor, ...credential }
  const settings = backendSettings('cursor', backend, environment)
  const [cursor] = cursorSettings(settings.config)
  if (!cursor) throw new Error('The option "cursor" is for a backend of kind "cursor".')
  return { settings: { ...settings, connect: { ...settings.connect, credentialWords } }, cursor }
}

export const anthropic: ProviderKind = {
  id: 'dragoman-anthropic',
  name: 'Anthropic (Dragoman)',
  npm: '@ai-sdk/anthropic',
  models: { prefix: 'anthropic/', efforts: 'own' },
  fallback: [],
  methods: () => [{ type: 'api', label: 'Anthropic API key' }],
  async settings({ options, environment, auth }) {
    if (auth?.type !== 'api') return undefined
    const backend = { kind: 'anthropic', ...options.anthropic, apiKey: auth.key }
    return backendSettings('anthropic', backend, environment)
  },
}

/** For servers without a key: OpenCode requires one. */
const noKey = /^(?:none|no|-)$/i

export const openai: ProviderKind = {
  id: 'dragoman-openai',
  name: 'OpenAI-compatible server (Dragoman)',
  npm: '@ai-sdk/openai-compatible',
  models: { prefix: 'openai/', efforts: 'reasoning-effort' },
  fallback: [],
  methods: () => [
    {
      type: 'api',
      label: 'OpenAI-compatible server',
      prompts: [
        {
          type: 'text',
          key: 'baseUrl',
          message:
            'Address of the server, with its version (its key is asked for next: "none" if it has none)',
          placeholder: 'http://127.0.0.1:8000/v1',
          pattern: '^\\s*https?://[^/\\s].*$',
          validate: (value) =>
            /^https?:\/\/[^/]/i.test(value) && URL.canParse(value) ? undefined : 'http://HOST:PORT/v1',
        },
        {
          type: 'select',
          key: 'tools',
          message: 'Does the model do tool calls?',
          options: [
            { label: 'Yes', value: 'native' },
            {
              label: 'No',
              value: 'text',
              hint: 'tools are written into the prompt, calls read from the text',
            },
          ],
        },
      ],
    },
  ],
  async settings({ options, environment, auth }) {
    if (auth?.type !== 'api') return undefined
    const { baseUrl, tools } = auth.metadata ?? {}
    if (baseUrl === undefined && options.openai.baseUrl === undefined)
      throw new Error('the address of the server is not known; run `opencode auth login`.')
    return backendSettings(
      'openai',
      {
        kind: 'openai',
        ...(tools === undefined ? {} : { tools }),
        ...options.openai,
        // The user entered the key for this address.
        ...(baseUrl === undefined ? {} : { baseUrl: baseUrl.trim() }),
        ...(noKey.test(auth.key) ? {} : { apiKey: auth.key }),
      },
      environment,
    )
  },
}

export const configured: ProviderKind = {
  id: 'dragoman',
  name: 'Dragoman',
  npm: '@ai-sdk/openai-compatible',
  models: { prefix: '', efforts: 'reasoning-effort' },
  fallback: [],
  async settings({ options: { config: named }, environment }) {
    const file = named === false ? undefined : configFile(named, environment)
    if (file === undefined) return undefined
    const { config, secrets } = loadConfig(file, environment)
    return { config: inProcess(config), secrets, connect: environment }
  },
}

/**
 * Never the project's file: opening a foreign repository is no consent to its backends, nor to what its file does with the
 * variables that it names.
 */
function configFile(named: string | undefined, environment: Environment): string | undefined {
  if (named !== undefined) return findConfigFile(ownFile(named, environment), environment)
  if (environment.configFile !== undefined) return findConfigFile(undefined, environment)
  return existsSync(environment.userConfigFile) ? environment.userConfigFile : undefined
}

/** A relative path would lead into the project. */
function ownFile(named: string, { homeFolder }: Environment): string {
  const path = fromHome(named, homeFolder) ?? named
  if (isAbsolute(path)) return path
  throw new OptionsError(`config: "${named}" must be a whole path, or begin with ~/`)
}
