// The used parts of undici. Its index also loads fetch, WebSockets, caches and mocks, which takes longer than all wire code of the
// gateway. Only proxies need the index, because the proxy agents get their CONNECT from it.
// The import is not plain 'undici', because Bun replaces that by a stub without dispatchers.

import { createRequire } from 'node:module'
import type * as Undici from 'undici/index.js'

export type { Dispatcher } from 'undici/index.js'

const require = createRequire(import.meta.url)
const loadAgent = (): typeof Undici.Agent => require('undici/lib/dispatcher/agent.js')
const loadAll = (): typeof Undici => require('undici/index.js')

export const createAgent = (options: Undici.Agent.Options): Undici.Dispatcher => new (loadAgent())(options)

export const createProxyAgent = (options: Undici.ProxyAgent.Options): Undici.Dispatcher =>
  new (loadAll().ProxyAgent)(options)

/** Uses HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
export const createEnvironmentAgent = (options: Undici.EnvHttpProxyAgent.Options): Undici.Dispatcher =>
  new (loadAll().EnvHttpProxyAgent)(options)
