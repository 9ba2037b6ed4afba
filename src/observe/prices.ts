// Finds the price of a model: as configured for its backend, as configured for all, or the list price of its service.

import { BoundedMap } from '../base/bounded-map.ts'
import type { Config } from '../config/schema.ts'
import type { Price } from './cost.ts'
import { type PriceRow, priceRows } from './price-rows.ts'

/** The upstream model of a turn. */
interface PricedModel {
  backend: string
  model: string
  /** The kind of the backend and the host of its service, if the backend is not a configured one. */
  kind?: string | undefined
  host?: string | undefined
}

export type PriceConfig = Pick<Config, 'backends' | 'prices'>

/** Kinds whose accounts have a monthly price, not a price per token. */
const planKinds = new Set<string | undefined>(['cursor', 'qwen-web'])
/** A token of a Claude subscription, in place of a key. */
const isSubscription = (account: object | undefined): boolean =>
  account !== undefined && 'apiKey' in account && /^sk-ant-oat/.test(String(account.apiKey))
/** The configuration refuses subscriptions among several accounts, but there may be a single one. */
const usesSubscription = (backend: object) =>
  isSubscription(backend) ||
  ('accounts' in backend && Array.isArray(backend.accounts) && isSubscription(backend.accounts[0]))

export class Prices {
  readonly #config: PriceConfig
  /** Rows by host and model. */
  readonly #rows: ReadonlyMap<string, PriceRow>
  /** Hosts by configured base URL. */
  readonly #hosts = new Map<string, string>()
  /** By backend and model. Names of models come from clients. */
  readonly #known = new BoundedMap<string, { price: Price | 'plan' | undefined }>({
    maxEntries: 500,
    keeps: 'newest',
  })
  #knownFor: Partial<PriceConfig> = {}

  constructor(config: PriceConfig, rows: readonly PriceRow[] = priceRows) {
    this.#config = config
    this.#rows = new Map(rows.flatMap((row) => row.models.map((model) => [placeOf(row.host, model), row])))
  }

  /** With `prices: "off"` no cost is shown at all. */
  get areOff(): boolean {
    return this.#config.prices === 'off'
  }

  /** Undefined if no price is known. */
  of(asked: PricedModel): Price | 'plan' | undefined {
    const { backends, prices } = this.#config
    // Tapes name backends that are not configured here, with a kind and host of their own.
    if (!Object.hasOwn(backends, asked.backend)) return this.#find(asked)
    // A reload changes the configuration.
    if (backends !== this.#knownFor.backends || prices !== this.#knownFor.prices) {
      this.#known.clear()
      this.#knownFor = { backends, prices }
    }
    const place = placeOf(asked.backend, asked.model)
    const known = this.#known.get(place)
    if (known) return known.price
    const price = this.#find(asked)
    this.#known.set(place, { price })
    return price
  }

  #find(asked: PricedModel): Price | 'plan' | undefined {
    const configured = this.#configured(asked)
    if (configured !== undefined) return configured === 'off' ? undefined : configured
    const backend = own(this.#config.backends, asked.backend)
    const kind = backend?.kind ?? asked.kind
    if (planKinds.has(kind)) return 'plan'
    if (backend?.kind === 'anthropic' && usesSubscription(backend)) return 'plan'
    const host = backend ? this.#hostOf(backend.baseUrl) : asked.host
    return host === undefined ? undefined : this.#listed(host, asked.model)
  }

  /** Hosts are remembered: parsing a URL is slow, and there are few base URLs. */
  #hostOf(baseUrl: string): string | undefined {
    const known = this.#hosts.get(baseUrl)
    if (known !== undefined) return known
    const host = hostOf(baseUrl)
    if (host !== undefined) this.#hosts.set(baseUrl, host)
    return host
  }

  #configured({ backend, model }: PricedModel): Price | 'off' | undefined {
    const { prices, backends } = this.#config
    const ofBackend = own(backends, backend)?.prices
    if (prices === 'off' || ofBackend === 'off') return 'off'
    const found =
      own(ofBackend, model) ??
      own(ofBackend, '*') ??
      own(prices, `${backend}/${model}`) ??
      own(prices, `${backend}/*`) ??
      own(prices, model)
    if (!found) return undefined
    const { input, output, cacheRead = input, cacheWrite = input } = found
    return { input, output, cacheRead, cacheWrite, source: 'configuration' }
  }

  #listed(host: string, model: string): Price | undefined {
    const id = model.replace(/^models\//, '')
    return this.#rows.get(placeOf(host, id)) ?? this.#rows.get(placeOf(host, undated(id)))
  }
}

/** Names come from requests: a name such as `constructor` must not find an inherited member. */
const own = <Value>(table: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined =>
  table && Object.hasOwn(table, name) ? table[name] : undefined

const placeOf = (host: string, model: string) => `${host} ${model}`

/** The name without the date of a snapshot, or without `latest`. */
export const undated = (model: string): string => model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')

export const hostOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).hostname : undefined
