// OpenCode 2 as far as a plugin sees it, from its documents and code; the real one was never run here. Three contexts: since 2.0.4,
// up to 2.0.3, and what OpenCode 1 gives to the same function.

import type {
  CatalogEditor,
  Cleanup,
  Context,
  Credential,
  IntegrationEditor,
  MethodRegistration,
  ModelInfo,
  ProviderEditor,
  ProviderInfo,
} from '../../src/plugin/opencode-2/host.ts'

export type HostVersion = '2.0.4' | '2.0.3' | '1.18.33'

interface Entry {
  provider: ProviderInfo
  models: Map<string, ModelInfo>
}

type Handler = (event: { sessionID: string; headers: Record<string, string> }) => void

interface HostOptions {
  directory: string
  options?: Record<string, unknown>
  /** What the user's configuration says of providers. */
  configured?: Record<string, Partial<ProviderInfo>>
  /** Parts of the context that this host's version lacks or breaks. */
  broken?: Partial<Context>
}

export class FakeHost2 {
  providers = new Map<string, Entry>()
  readonly methods: MethodRegistration[] = []
  readonly names = new Map<string, string>()
  readonly credentials = new Map<string, Credential>()
  readonly context: Context
  /** Everything that was registered, by the name of the function. */
  readonly calls: string[] = []
  /** Why the host has switched the plugin off. */
  failure: unknown
  readonly #changes: ((list: Map<string, Entry>) => void)[] = []
  readonly #hooks: { providerID: string; handle: Handler }[] = []
  readonly #events: ((type: string) => void)[] = []
  readonly #given: HostOptions

  constructor(version: HostVersion, given: HostOptions) {
    this.#given = given
    const integration = this.#integration()
    const shared = { options: given.options ?? {}, integration }
    const version2 = {
      ...shared,
      location: { directory: given.directory },
      session: this.#session(),
      event: { subscribe: ({ signal }: { signal: AbortSignal }) => this.#subscribe(signal) },
    }
    const contexts: Record<HostVersion, () => Context> = {
      '2.0.4': () => ({ ...version2, provider: this.#provider() }),
      '2.0.3': () => ({ ...version2, catalog: this.#catalog() }),
      '1.18.33': () => ({ ...shared, catalog: this.#catalog() }),
    }
    this.context = { ...contexts[version](), ...given.broken }
    this.reload()
  }

  /** Takes a module as the real loader does: `default` with an id and a function, all else dropped. */
  async load(module: Record<string, unknown>): Promise<Cleanup | undefined> {
    const definition = module.default as { id?: unknown; setup?: unknown; tui?: unknown } | undefined
    const fits =
      typeof definition === 'object' &&
      typeof definition.id === 'string' &&
      typeof definition.setup === 'function' &&
      (definition.tui === undefined || typeof definition.tui === 'boolean')
    if (!fits)
      throw new Error('Plugin must export a default definition with an id and an effect or setup function.')
    const setup = definition.setup as (context: Context) => Promise<Cleanup | undefined>
    return setup(this.context)
  }

  /** As the real host finds the credential that it sends: by the provider's integration, else by its id. */
  keyFor(providerID: string): string {
    const { provider } = this.providers.get(providerID) as Entry
    const credential = this.credentials.get(provider.integrationID ?? providerID)
    if (credential?.type === 'key') return credential.key
    return credential?.type === 'oauth' ? credential.access : String(provider.settings?.apiKey)
  }

  /** The headers that the hooks have for a request. */
  headersFor(providerID: string, sessionID: string): Record<string, string> {
    const event = { sessionID, headers: {} }
    for (const hook of this.#hooks) if (hook.providerID === providerID) hook.handle(event)
    return event.headers
  }

  models(providerID: string): ModelInfo[] {
    return [...(this.providers.get(providerID)?.models.values() ?? [])]
  }

  /** Builds the list anew: the user's configuration, then each change. */
  reload(): void {
    const list = new Map<string, Entry>()
    for (const [id, own] of Object.entries(this.#given.configured ?? {}))
      list.set(id, { provider: { ...empty(id), ...own }, models: new Map() })
    try {
      for (const change of this.#changes) change(list)
    } catch (error) {
      this.failure = error
    }
    this.providers = list
  }

  connect(id: string, credential: Credential | undefined): void {
    if (credential) this.credentials.set(id, credential)
    else this.credentials.delete(id)
    for (const tell of this.#events) tell('credential.switched')
  }

  #transformed<Editor>(name: string, editorOf: (list: Map<string, Entry>) => Editor) {
    return {
      transform: async (change: (editor: Editor) => void) => {
        this.calls.push(name)
        this.#changes.push((list) => change(editorOf(list)))
        this.reload()
        return { dispose: async () => undefined }
      },
      reload: async () => {
        this.calls.push(`${name} again`)
        this.reload()
      },
    }
  }

  #provider() {
    return this.#transformed<ProviderEditor>('provider', (list) => ({
      get: (id) => {
        const entry = list.get(id)
        return entry && { provider: entry.provider, models: [...entry.models.values()] }
      },
      add: ({ info, models }) => {
        if (list.has(info.id)) throw new Error(`There is a provider ${info.id}`)
        list.set(info.id, { provider: info, models: byId(models) })
      },
      update: (id, change) => change(found(list, id).provider),
      models: {
        set: (id, models) => {
          found(list, id).models = byId(models)
        },
      },
    }))
  }

  #catalog() {
    const ensure = (list: Map<string, Entry>, id: string) => {
      const entry = list.get(id) ?? { provider: empty(id), models: new Map() }
      list.set(id, entry)
      return entry
    }
    return this.#transformed<CatalogEditor>('catalog', (list) => ({
      provider: {
        get: (id) => list.get(id),
        update: (id, change) => change(ensure(list, id).provider),
      },
      model: {
        update: (id, model, change) => {
          const { models } = ensure(list, id)
          const draft = models.get(model) ?? ({ id: model } as ModelInfo)
          models.set(model, draft)
          change(draft)
        },
      },
    }))
  }

  #integration() {
    const editor: IntegrationEditor = {
      update: (id, change) => {
        const integration: { name?: string } = {}
        change(integration)
        this.names.set(id, integration.name ?? id)
      },
      method: { update: (registration) => void this.methods.push(registration) },
    }
    return {
      transform: async (change: (editor: IntegrationEditor) => void) => {
        this.calls.push('integration')
        change(editor)
      },
      connection: {
        active: async (id: string) => {
          const variable = this.methods
            .flatMap(({ integrationID, method }) =>
              integrationID === id && method.type === 'env' ? method.names : [],
            )
            .find((name) => process.env[name])
          if (this.credentials.has(id)) return { type: 'credential', id }
          return variable ? { type: 'env', name: variable } : undefined
        },
        resolve: async (connection: unknown) => {
          const { type, id = '', name = '' } = connection as { type: string; id?: string; name?: string }
          if (type === 'credential') return this.credentials.get(id)
          return { type: 'key' as const, key: process.env[name] ?? '' }
        },
      },
    }
  }

  #session() {
    return {
      hook: async (name: string, handle: Handler, { providerID }: { providerID: string }) => {
        this.calls.push(name)
        this.#hooks.push({ providerID, handle })
      },
    }
  }

  /** Like the real one it has its payload under `data`; it does not end by itself. */
  async *#subscribe(signal: AbortSignal): AsyncGenerator<{ type: string; data: object }> {
    const waiting: string[] = []
    let wake: () => void = () => undefined
    this.#events.push((type) => {
      waiting.push(type)
      wake()
    })
    signal.addEventListener('abort', () => wake())
    while (!signal.aborted) {
      const type = waiting.shift()
      if (type !== undefined) yield { type, data: {} }
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  }
}

const empty = (id: string): ProviderInfo => ({ id, name: id, activation: 'auto', package: '' })
const byId = (models: ModelInfo[]) => new Map(models.map((model) => [model.id, model]))

function found(list: Map<string, Entry>, id: string): Entry {
  const entry = list.get(id)
  if (!entry) throw new Error(`There is no provider ${id}`)
  return entry
}
