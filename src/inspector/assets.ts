// The built page: three static files without data, read once.

import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { respond } from '../http/respond.ts'

const types = {
  'index.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
}

export type AssetName = keyof typeof types

/** Beside the built program, or in `dist` if the sources run. */
const folders = ['../../inspector/', '../../dist/inspector/'].map((path) => new URL(path, import.meta.url))

const read = new Map<AssetName, { text: string; etag: string }>()

export function serveAsset(exchange: Exchange, name: AssetName): void {
  const { sink, head } = exchange
  const { text, etag } = asset(name)
  const headers = { 'cache-control': 'no-cache', etag }
  if (exchange.header('if-none-match') !== etag) return respond(exchange, 200, types[name], text, headers)
  sink.start(304, { ...head.headers, ...headers })
  sink.end()
}

function asset(name: AssetName): { text: string; etag: string } {
  const known = read.get(name)
  if (known) return known
  const file = folders.map((folder) => new URL(name, folder)).find((url) => existsSync(url))
  if (!file)
    throw new GatewayError('not-found', 'The page of the inspector has not been built: run `npm run build`.')
  const text = readFileSync(file, 'utf8')
  const found = { text, etag: `"${hash('sha256', text).slice(0, 32)}"` }
  read.set(name, found)
  return found
}
