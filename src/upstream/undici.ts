// What is used of undici. Its index loads fetch, WebSockets, caches and mocks too, which takes longer than all of our own
// wire code: only who goes through a proxy needs it, for that is where its agents get their CONNECT from.
// Not plain 'undici': Bun puts a stub of its own in its place, which has no dispatchers.

import { createRequire } from 'node:module'
import type * as Undici from 'undici/index.js'

export type { Dispatcher } from 'undici/index.js'

const require = createRequire(import.meta.url)
const loadAgent = (): typeof Undici.Agent => require('undici/lib/dispatcher/agent.js')
const loadAll = (): typeof Undici => require('undici/index.js')

export const createAgent = (options: Undici.Agent.Options): Undici.Dispatcher => new (loadAgent())(options)

export const createProxyAgent = (options: Undici.ProxyAgent.Options): Undici.Dispatcher =>
  new (loadAll().ProxyAgent)(options)

/** As HTTPS_PROXY, HTTP_PROXY and NO_PROXY say. */
export const createEnvironmentAgent = (options: Undici.EnvHttpProxyAgent.Options): Undici.Dispatcher =>
  new (loadAll().EnvHttpProxyAgent)(options)
