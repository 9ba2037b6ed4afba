// Cursor settings of the configuration and the environment, for commands without a gateway.

import type { Environment } from '../config/environment.ts'
import type { Config } from '../config/schema.ts'
import { createUpstreamClient, type UpstreamClient } from '../upstream/client.ts'

export const defaultCursorUrl = 'https://api2.cursor.sh'
const defaultCursorWebsite = 'https://cursor.com'

export interface CursorSettings {
  name: string
  baseUrl: string
  websiteUrl: string
  accessToken?: string | undefined
  apiKey?: string | undefined
  headers?: Record<string, string> | undefined
  connect?: { proxy?: string | undefined; ca?: string | undefined } | undefined
}

export const defaultCursorSettings: CursorSettings = {
  name: 'cursor',
  baseUrl: defaultCursorUrl,
  websiteUrl: defaultCursorWebsite,
}

export function cursorSettings(config: Config): CursorSettings[] {
  return Object.entries(config.backends).flatMap(([name, backend]) =>
    backend.kind === 'cursor' ? [{ ...backend, name }] : [],
  )
}

export const cursorEnvironment = (environment: Pick<Environment, 'variable'>) => ({
  accessToken: environment.variable('CURSOR_ACCESS_TOKEN'),
  apiKey: environment.variable('CURSOR_API_KEY'),
})

export function createAuthClient(
  { name, baseUrl, connect }: CursorSettings,
  environment: Pick<Environment, 'environmentProxy' | 'extraCaFile'>,
): UpstreamClient {
  return createUpstreamClient(baseUrl, {
    name,
    proxy: connect?.proxy,
    environmentProxy: environment.environmentProxy,
    // Node uses NODE_EXTRA_CA_CERTS only if no `ca` option replaces its list.
    caFiles: connect?.ca === undefined ? [] : [connect.ca, environment.extraCaFile ?? []].flat(),
  })
}
