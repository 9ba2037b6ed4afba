// What OpenCode gives to a plugin and takes from it, as far as it is used here. Seen at work: OpenCode 1.18.33.

export interface PluginInput {
  /** The project's folder. */
  directory: string
  client?: HostClient | undefined
}

export type HostLevel = 'debug' | 'info' | 'warn' | 'error'

/** Never to be awaited while the plugin starts: the server answers only when all plugins have. */
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

/** The part of its configuration that names providers. Changed in place. */
export interface HostConfig {
  disabled_providers?: string[]
  /** The only ones that the user wants. */
  enabled_providers?: string[]
  provider?: Record<string, HostProvider>
  /** The file that each plugin comes from, its options with it. */
  plugin_origins?: { spec: string | [string, Record<string, unknown>]; source: string }[]
}

export interface HostProvider {
  name?: string
  npm?: string
  options?: Record<string, unknown>
  models?: Record<string, HostModel>
}

export interface HostModel {
  /** What is sent as `model`; else the model's key. */
  id?: string
  name?: string
  tool_call?: boolean
  reasoning?: boolean
  attachment?: boolean
  temperature?: boolean
  /** 0: not known. */
  limit?: { context: number; output: number }
  modalities?: { input: string[]; output: string[] }
  variants?: Record<string, Record<string, unknown>>
}

/** An entry of OpenCode's own file of credentials. */
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

export interface AuthHook {
  provider: string
  methods: AuthMethod[]
  /** Only for a provider that is registered: OpenCode breaks down on the others. */
  readonly loader: (() => Promise<Record<string, unknown>>) | undefined
}

export interface Hooks {
  config(config: HostConfig): Promise<void>
  auth?: AuthHook
  dispose(): Promise<void>
}

export type Plugin = (input: PluginInput, options?: Record<string, unknown>) => Promise<Hooks>
