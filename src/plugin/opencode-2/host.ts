// The part of OpenCode 2's plugin interface that is used here, as its documents and types describe it (2.0.0 to 2.0.20). Never
// run on a real OpenCode 2: every member is optional that any version may lack.

export type Cleanup = () => Promise<void>

export interface Context {
  options?: Record<string, unknown> | undefined
  location?: { directory?: string } | undefined
  /** Since 2.0.4. */
  provider?: Transformed<ProviderEditor> | undefined
  /** Up to 2.0.3, and in OpenCode 1. */
  catalog?: Transformed<CatalogEditor> | undefined
  integration?: IntegrationDomain | undefined
  /** Not in OpenCode 1. */
  session?: { hook?: SessionHook } | undefined
  event?: { subscribe?(options: { signal: AbortSignal }): AsyncIterable<HostEvent> } | undefined
}

interface Transformed<Editor> {
  /** The function is called at once, and again at each reload. It must not wait, and a failure of it disables the plugin. */
  transform?(change: (editor: Editor) => void): Promise<unknown>
  reload?(): Promise<unknown>
}

export interface ProviderEditor {
  get(id: string): ProviderRecord | undefined
  add(record: { info: ProviderInfo; models: ModelInfo[] }): void
  update(id: string, change: (provider: ProviderInfo) => void): void
  models: { set(id: string, models: ModelInfo[]): void }
}

export interface CatalogEditor {
  provider: {
    get(id: string): ProviderRecord | undefined
    /** Creates it if it is missing. */
    update(id: string, change: (provider: ProviderInfo) => void): void
  }
  model: {
    /** Creates it if it is missing. */
    update(id: string, model: string, change: (model: ModelInfo) => void): void
  }
}

export interface ProviderRecord {
  provider: ProviderInfo
  /** An array, or a map by id. */
  models: { values(): Iterable<ModelInfo> }
}

export interface ProviderInfo {
  id: string
  name: string
  /** The integration whose credential the host sends; by default the one with the provider's id. */
  integrationID?: string
  activation: 'auto' | 'enabled' | 'disabled'
  package: string
  settings?: Record<string, unknown>
}

export interface ModelInfo {
  id: string
  /** The `model` to send. */
  modelID: string
  providerID: string
  name: string
  capabilities: { tools: boolean; input: string[]; output: string[] }
  variants: { id: string; body?: Record<string, unknown> }[]
  time: { released: number }
  cost: never[]
  status: 'active'
  enabled: boolean
  limit: { context: number; output: number }
}

interface IntegrationDomain extends Transformed<IntegrationEditor> {
  connection?: {
    active?(integration: string): Promise<unknown>
    resolve?(connection: unknown): Promise<Credential | undefined>
  }
}

export interface IntegrationEditor {
  update(id: string, change: (integration: { name?: string }) => void): void
  method: { update(registration: MethodRegistration): void }
}

export type Credential =
  | { type: 'key'; key: string; metadata?: Answers; configuration?: Answers }
  | OAuthCredential

type Answers = Record<string, unknown>

interface OAuthCredential {
  type: 'oauth'
  methodID: string
  access: string
  refresh: string
  expires: number
}

/** A field of a form that is shown before the key. */
export interface FormField {
  type: 'string'
  key: string
  title: string
  required: boolean
  placeholder?: string
  pattern?: string
  options?: { value: string; label: string; description?: string }[]
}

export type MethodRegistration =
  | { integrationID: string; method: { type: 'key'; label: string; form?: FormField[] } }
  | { integrationID: string; method: { type: 'env'; names: string[] } }
  | {
      integrationID: string
      method: { id: string; type: 'oauth'; label: string }
      authorize(): Promise<{
        mode: 'auto'
        url: string
        instructions: string
        callback: Promise<OAuthCredential>
      }>
    }

/** Before a request to a model. */
interface ModelRequest {
  sessionID?: string
  headers?: Record<string, string>
}

type SessionHook = (
  name: 'model.request',
  handle: (event: ModelRequest) => void,
  only: { providerID: string },
) => Promise<unknown>

interface HostEvent {
  type?: unknown
}
