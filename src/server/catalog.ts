// The model catalog: resolves the names that clients use to backends, and lists every model that can be called.

import { setTimeout as sleep } from 'node:timers/promises'
import { nearest } from '../base/nearest.ts'
import type { Backend, Model } from '../core/backend.ts'
import { GatewayError } from '../core/errors.ts'
import type { RouteRow } from '../core/model-route.ts'
import { withoutPickerPrefix } from '../doors/picker-names.ts'
import { errorFields, type Log } from '../observe/log.ts'
import { listingReason } from './listing-reason.ts'
import { type ModelVariant, modelVariants } from './model-variants.ts'

export interface Target {
  backendName: string
  backend: Backend
  model: string
  /** The name of the account, if the client's name has it. */
  account?: string | undefined
  /** The alias that leads here. */
  alias?: string
  /** Set if the client's name is a variant of a name that exists here. */
  variant?: ModelVariant
}

interface CatalogOptions {
  backends: ReadonlyMap<string, Backend>
  /** All models of each alias, those for most requests first. */
  aliases: ReadonlyMap<string, readonly string[]>
  /** The rows of each alias. Absent: one row for all requests. */
  routes?: ReadonlyMap<string, readonly RouteRow[]> | undefined
  /** Whether another model describes images for this one. */
  describes?: ((backend: string, model: Model) => boolean) | undefined
  /** The account that a key uses of a backend. */
  accountOf?: ((key: string, backend: string) => string | undefined) | undefined
  log: Log
  now?: () => number
  /** Of the configuration before: its listings of the same backends stay. */
  earlier?: Catalog | undefined
}

interface Listing {
  models: Model[]
  readAt: number
  error?: GatewayError
}

export interface BackendListing {
  backendName: string
  backend: Backend
  listing: Listing
}

const freshMs = 5 * 60_000
/** A listing that failed is repeated sooner. */
const retryMs = 15_000
const listingTimeoutMs = 10_000
/** How long a request waits for a new listing if there is an old one. */
const patienceMs = 1_000

export class Catalog {
  readonly #options: CatalogOptions
  readonly #now: () => number
  readonly #listings = new Map<string, Listing>()
  readonly #running = new Map<string, Promise<Listing>>()

  constructor(options: CatalogOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    const { earlier } = options
    if (!earlier) return
    for (const [name, listing] of earlier.#listings)
      if (earlier.backend(name) === this.backend(name)) this.#listings.set(name, listing)
  }

  backend(name: string): Backend | undefined {
    return this.#options.backends.get(name)
  }

  /** The same as `resolve`, from what is known already: no backend is asked, and an unknown name has no targets. */
  known(name: string): Target[] {
    const listings = [...this.#options.backends].flatMap(([backendName, backend]) => {
      const listing = this.#listings.get(backendName)
      return listing ? [{ backendName, backend, listing }] : []
    })
    const behind = withoutPickerPrefix(name) ?? name
    for (const { name: one } of [
      { name },
      ...modelVariants(name),
      { name: behind },
      ...modelVariants(behind),
    ]) {
      const targets = this.#direct(one) ?? held(one, listings)
      if (targets.length > 0) return targets
    }
    return []
  }

  /** The backends to try for a model, in order. */
  async resolve(name: string): Promise<Target[]> {
    const { targets, holders } = await this.#find(name)
    if (targets) return targets
    // A name that several backends list is not a variant. BACKEND/MODEL was resolved above, whatever the model is.
    if (holders.length === 0)
      for (const variant of modelVariants(name)) {
        const { targets: meant } = await this.#find(variant.name)
        if (meant) return meant.map((target) => ({ ...target, variant }))
      }
    const behind = withoutPickerPrefix(name)
    if (behind !== undefined && withoutPickerPrefix(behind) === undefined) return this.resolve(behind)
    throw await this.#notFound(name, holders)
  }

  async #find(name: string): Promise<{ targets?: Target[]; holders: string[] }> {
    const direct = this.#direct(name)
    if (direct) return { targets: direct, holders: [] }
    const holders = held(name, await this.listings())
    if (holders.length === 1) return { targets: holders, holders: [] }
    return { holders: holders.map(({ backendName }) => `${backendName}/${name}`) }
  }

  /** By alias or by BACKEND/MODEL. */
  #direct(name: string): Target[] | undefined {
    const alias = this.#options.aliases.get(name)
    if (alias)
      return alias.map((entry) => ({
        ...(this.#qualified(entry) ?? this.#unknownTarget(name, entry)),
        alias: name,
      }))
    const qualified = this.#qualified(name)
    return qualified && [qualified]
  }

  #qualified(name: string): Target | undefined {
    const slash = name.indexOf('/')
    if (slash <= 0 || slash === name.length - 1) return undefined
    const model = name.slice(slash + 1)
    const [backendName = '', account] = name.slice(0, slash).split('@', 2)
    const backend = this.#options.backends.get(backendName)
    if (!backend || account === undefined) return backend && { backendName, backend, model }
    if (backend.pool?.has(account)) return { backendName, backend, model, account }
    throw unknownAccount(account, [backendName], backend.pool?.names ?? [])
  }

  #unknownTarget(alias: string, entry: string): never {
    throw new GatewayError(
      'not-found',
      `The alias "${alias}" leads to "${entry}", whose backend is not configured.`,
      { detail: 'model_not_found' },
    )
  }

  async #notFound(name: string, ambiguous: readonly string[]): Promise<GatewayError> {
    const options = { detail: 'model_not_found', param: 'model' }
    if (ambiguous.length > 1) {
      return new GatewayError(
        'not-found',
        `The model "${name}" is listed by several backends; say which: ${ambiguous.join(', ')}.`,
        options,
      )
    }
    const listings = await this.listings()
    const silent = listings.filter(isSilent)
    const silences = silent.map(silence).join('')
    // The name may be one of theirs, and a retry may find it.
    if (silent.length > 0 && silent.length === listings.length)
      return new GatewayError(
        'upstream-unavailable',
        `Whether the model "${name.slice(0, 200)}" exists is not known.${silences}`,
        { param: 'model' },
      )
    const all = await this.#names()
    // Compared with the qualified name and with the bare one.
    const named = new Map(
      all.flatMap((full) => [
        [full, full],
        [full.slice(full.indexOf('/') + 1), full],
      ]),
    )
    const close = [...new Set(nearest(name, named.keys()).map((found) => named.get(found) ?? found))]
    const hint =
      close.length > 0
        ? `Did you mean ${close.join(', ')}?`
        : 'GET /v1/models lists what there is; call models as BACKEND/MODEL.'
    return new GatewayError(
      'not-found',
      `The model "${name.slice(0, 200)}" does not exist here. ${hint}${silences}`,
      options,
    )
  }

  async #names(): Promise<string[]> {
    const listed = (await this.listings()).flatMap(({ backendName, listing }) =>
      listing.models.map((model) => `${backendName}/${model.id}`),
    )
    return [...this.#options.aliases.keys(), ...listed]
  }

  /** The listing of every backend. One that fails, or takes longer than `maxWaitMs`, is empty and has the error. */
  async listings(maxWaitMs?: number): Promise<BackendListing[]> {
    const entries = [...this.#options.backends]
    return Promise.all(
      entries.map(async ([backendName, backend]) => {
        const listing = this.#listing(backendName, backend)
        return {
          backendName,
          backend,
          listing: await (maxWaitMs === undefined
            ? listing
            : Promise.race([listing, this.#late(backendName, maxWaitMs)])),
        }
      }),
    )
  }

  async #late(backendName: string, maxWaitMs: number): Promise<Listing> {
    await sleep(maxWaitMs, undefined, { ref: false })
    const error = new GatewayError('timeout', `${backendName}: the models were not listed in time.`)
    return { models: [], readAt: this.#now(), error }
  }

  get aliases(): ReadonlyMap<string, readonly string[]> {
    return this.#options.aliases
  }

  /** The rows of an alias; none if it has one for all requests. */
  rowsOf(alias: string): readonly RouteRow[] {
    const rows = this.#options.routes?.get(alias) ?? []
    return rows.length > 1 ? rows : []
  }

  /** Whether clients may send images for the model, because another one describes them. */
  describes(backend: string, model: Model): boolean {
    return this.#options.describes?.(backend, model) ?? false
  }

  /** The account that a key uses of a backend, if the configuration names one. */
  accountOf(key: string, backend: string): string | undefined {
    return this.#options.accountOf?.(key, backend)
  }

  /** What the service says of a model. Undefined if it says nothing, or nothing in time. */
  async modelOf({ backendName, backend, model }: Target): Promise<Model | undefined> {
    const listing = await Promise.race([
      this.#listing(backendName, backend),
      this.#late(backendName, patienceMs),
    ])
    return listing.models.find(({ id }) => id === model)
  }

  /** An outdated listing is used if a new one takes too long: no request waits for a dead backend. */
  #listing(backendName: string, backend: Backend): Listing | Promise<Listing> {
    const known = this.#listings.get(backendName)
    if (known && this.#now() - known.readAt < (known.error ? retryMs : freshMs)) return known
    const running = this.#running.get(backendName) ?? this.#read(backendName, backend)
    this.#running.set(backendName, running)
    return known ? Promise.race([running, sleep(patienceMs, known, { ref: false })]) : running
  }

  async #read(backendName: string, backend: Backend): Promise<Listing> {
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(silentFor(backendName, listingTimeoutMs)), listingTimeoutMs)
    timer.unref()
    try {
      const models = await backend.models(limit.signal)
      this.#listings.set(backendName, { models, readAt: this.#now() })
    } catch (error) {
      this.#options.log.warn('a backend could not be listed', { backend: backendName, ...errorFields(error) })
      // The old listing stays: one failure must not make bare names unknown.
      const models = this.#listings.get(backendName)?.models ?? []
      this.#listings.set(backendName, { models, readAt: this.#now(), error: GatewayError.from(error) })
    } finally {
      clearTimeout(timer)
      this.#running.delete(backendName)
    }
    return this.#listings.get(backendName) as Listing
  }
}

const silentFor = (backendName: string, limitMs: number) =>
  new GatewayError(
    'timeout',
    `${backendName}: no list of models within ${limitMs / 1000} s; is the server busy or still starting, or is "baseUrl" wrong?`,
  )

/** Never another account in silence. */
export const unknownAccount = (
  account: string,
  backends: readonly string[],
  names: readonly string[],
): GatewayError =>
  new GatewayError(
    'not-found',
    `There is no account "${account.slice(0, 100)}" at ${backends.join(', ')}; there is ${names.join(', ') || 'none with a name'}.`,
    { detail: 'account_not_found', param: 'model' },
  )

/** The backends that list this model. */
const held = (model: string, listings: readonly BackendListing[]): Target[] =>
  listings.flatMap(({ backendName, backend, listing }) =>
    listing.models.some(({ id }) => id === model) ? [{ backendName, backend, model }] : [],
  )

/** Nothing is known of its models, and that may change. A service without a list is no such case. */
const isSilent = ({ listing: { error, models } }: BackendListing) =>
  models.length === 0 && error?.retryable === true

/** What a service itself said is not for every caller. */
const silence = ({ backendName, listing: { error } }: BackendListing) =>
  ` ${backendName} could not be asked for its models: ${error && !error.upstream ? listingReason(backendName, error) : 'it answers with errors.'}`
