// The part of OpenCode 1's plugin interface that is used here. Tested with OpenCode 1.18.33.

export interface PluginInput {
  /** The project's folder. */
  directory: string
  client?: HostClient | undefined
}

export type HostLevel = 'debug' | 'info' | 'warn' | 'error'

/** Never await it while the plugin starts: the server answers only after all plugins have started. */
export interface HostClient {
  app?: {
    log?(entry: {
      body: { service: string; level: HostLevel; message: string; extra?: Record<string, unknown> }
    }): unknown
  }
  tui?: {
    showToast?(toast: { body: { title: string; message: string; variant: 'error' | 'warning' } }): unknown
  }
}

/** The part of OpenCode's configuration that names providers. Plugins change it in place. */
export interface HostConfig {
  disabled_providers?: string[]
  /** If set, the only providers to show. */
  enabled_providers?: string[]
  provider?: Record<string, HostProvider>
  /** The configuration file that lists each plugin, with its options. */
  plugin_origins?: { spec: string | [string, Record<string, unknown>]; source: string }[]
}

export interface HostProvider {
  name?: string
  npm?: string
  options?: Record<string, unknown>
  models?: Record<string, HostModel>
}

export interface HostModel {
  /** The `model` to send; default: the model's key. */
  id?: string
  name?: string
  tool_call?: boolean
  reasoning?: boolean
  attachment?: boolean
  temperature?: boolean
  /** 0: unknown. */
  limit?: { context: number; output: number }
  modalities?: { input: string[]; output: string[] }
  variants?: Record<string, Record<string, unknown>>
}

/** An entry of OpenCode's credential file. */
export type HostAuth =
  | { type: 'api'; key: string; metadata?: Record<string, string> }
  | { type: 'oauth'; access: string; refresh: string; expires: number }
  | { type: 'wellknown' }

export type Prompt =
  | {
      type: 'text'
      key: string
      message: string
      placeholder?: string
      /** The same as `validate`, for OpenCode 2. */
      pattern?: string
      validate?(value: string): string | undefined
    }
  | {
      type: 'select'
      key: string
      message: string
      options: { label: string; value: string; hint?: string }[]
    }

export interface OAuthStart {
  url: string
  instructions: string
  method: 'auto'
  callback(): Promise<{ type: 'success'; access: string; refresh: string; expires: number }>
}

export type AuthMethod =
  | { type: 'oauth'; label: string; prompts?: Prompt[]; authorize(): Promise<OAuthStart> }
  | { type: 'api'; label: string; prompts?: Prompt[] }

interface AuthHook {
  provider: string
  methods: AuthMethod[]
  /** Only for registered providers: OpenCode crashes on others. */
  readonly loader: (() => Promise<Record<string, unknown>>) | undefined
}

export interface Hooks {
  config(config: HostConfig): Promise<void>
  auth?: AuthHook
  dispose(): Promise<void>
}

export type Plugin = (input: PluginInput, options?: Record<string, unknown>) => Promise<Hooks>
