// Backends that were found or named, as entries of the gateway's configuration. Pure: what was found comes in as facts. A key stays where
// it is; the entry names its variable.

import { isLoopback } from '../base/loopback.ts'
import { editJson, jsonValue } from './json-edit.ts'
import { type HostedService, hostedServices, type LocalServer } from './known-services.ts'

export interface FoundBackend {
  name: string
  title: string
  /** Where it was found, for the question. */
  where: string
  settings: BackendSettings
  /** A variable that must be set before the gateway starts, and is not. */
  missing?: string
}

type BackendSettings = { kind: 'cursor' } | KeyedSettings

interface KeyedSettings {
  kind: HostedService['kind']
  baseUrl?: string
  apiKey?: string
}

type Variable = (name: string) => string | undefined

const reference = (variable: string) => `{env:${variable}}`

/** Services whose key is in a variable. */
export const servicesInVariables = (variable: Variable): FoundBackend[] =>
  hostedServices.flatMap((service) => {
    const name = service.keyVariables.find((one) => variable(one))
    if (name === undefined) return []
    const address = addressOf(service, variable)
    return address === 'unusable' ? [] : [fromService(service, name, address)]
  })

/** Another address for this service's key. One on loopback may be this gateway. */
function addressOf({ addressVariable }: HostedService, variable: Variable): string | undefined | 'unusable' {
  const address = addressVariable && variable(addressVariable)
  if (!address) return undefined
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return 'unusable'
  return isLoopback(new URL(address).hostname) ? 'unusable' : address
}

function fromService(service: HostedService, variable: string, address?: string): FoundBackend {
  const { name, title, kind, addressVariable } = service
  const baseUrl = address === undefined ? service.baseUrl : addressFor(kind, address)
  return {
    ...{ name, title },
    where: `the key in ${variable}${address === undefined ? '' : `, the address in ${addressVariable}`}`,
    settings: { kind, ...(baseUrl !== undefined && { baseUrl }), apiKey: reference(variable) },
  }
}

/** The gateway appends /v1/messages itself. */
const addressFor = (kind: HostedService['kind'], address: string) => {
  const plain = address.replace(/(?<!\/)\/+$/, '')
  return kind === 'anthropic' ? plain.replace(/\/v1$/, '') : plain
}

/** A named service, with its key in a variable that is set or in the usual one. */
export function namedService(service: HostedService, variable: Variable): FoundBackend {
  const set = service.keyVariables.find((one) => variable(one))
  const name = set ?? service.keyVariables[0] ?? ''
  return { ...fromService(service, name), ...(set === undefined && { missing: name }) }
}

export const cursorBackend = (where: string): FoundBackend => ({
  ...{ name: 'cursor', title: 'Cursor', where },
  settings: { kind: 'cursor' },
})

export interface ServerAnswer {
  server: LocalServer
  url: string
  /** Undefined: it asks for a key. */
  models?: number
}

export function localBackend({ server, url, models }: ServerAnswer, variable: Variable): FoundBackend {
  const { name, title, keyVariable } = server
  const where = `${new URL(url).host}${models === undefined ? ', which asks for a key' : `, ${models} ${models === 1 ? 'model' : 'models'}`}`
  if (models !== undefined || keyVariable === undefined)
    return { name, title, where, settings: { kind: 'openai', baseUrl: url } }
  return {
    ...{ name, title, where },
    settings: { kind: 'openai', baseUrl: url, apiKey: reference(keyVariable) },
    ...(!variable(keyVariable) && { missing: keyVariable }),
  }
}

export const backendAt = (kind: 'anthropic' | 'openai', url: string): FoundBackend => ({
  name: kind === 'anthropic' ? 'claude' : nameFor(url),
  ...{ title: new URL(url).host, where: url },
  settings: { kind, baseUrl: addressFor(kind, url) },
})

/** `api.example.com` → `example`, an address → `box`. */
function nameFor(url: string): string {
  const labels = new URL(url).hostname.split('.')
  const label = labels.length > 1 && /[a-z]/i.test(labels.at(-1) ?? '') ? labels.at(-2) : undefined
  return label?.replace(/[^\w-]/g, '') || 'box'
}

/** A backend of the same kind and address is there already. */
export function isConfigured(text: string, { settings }: FoundBackend): boolean {
  const backends = jsonValue(text, ['backends'])
  return Object.values(backends ?? {}).some((one: { kind?: unknown; baseUrl?: string } | null) => {
    if (one?.kind !== settings.kind) return false
    return settings.kind === 'cursor' || sameAddress(one?.baseUrl, settings.baseUrl)
  })
}

/** Localhost has several names. */
function sameAddress(one: string | undefined, other: string | undefined): boolean {
  const plain = (url = '') => {
    if (!URL.canParse(url)) return url
    const { hostname, port, pathname } = new URL(url)
    return `${isLoopback(hostname) ? 'loopback' : hostname}:${port}${pathname.replace(/(?<!\/)\/+$/, '')}`
  }
  return plain(one) === plain(other)
}

/** The text with these backends at the end of the others; a name that is taken gets a number. */
export function addBackends(text: string, found: readonly FoundBackend[]): string {
  return found.reduce((now, { name, settings }) => {
    const free = freeName(now, name)
    return editJson(now, [{ path: ['backends', free], value: settings, oneLine: true }])
  }, text)
}

function freeName(text: string, name: string): string {
  const isTaken = (one: string) => jsonValue(text, ['backends', one]) !== undefined
  if (!isTaken(name)) return name
  let count = 2
  while (isTaken(`${name}-${count}`)) count++
  return `${name}-${count}`
}
