// Headers that browsers send for pages of other sites, and requests that need no preflight.

import { ollamaRoutes } from '../../../src/server/ollama-routes.ts'
import { routes } from '../../../src/server/routes.ts'

/** A route that reads no body, and those that no page can reach by a body: their own tests have them. */
const others = /^\/(?:internal|inspector|control)\/|\/cancel$/

/** The paths of the other routes that take a body. */
export const bodyPaths = [...routes, ...ollamaRoutes]
  .filter(({ method, path }) => method === 'POST' && !others.test(path))
  .map(({ path }) => path.replace('*', 'openai/gpt-4o'))

export const foreignOrigins = [
  'https://evil.example', 'http://page.example', 'https://page.example:444', 'https://page.example.evil.example', 'https://evilpage.example',
  'null', 'HTTPS://PAGE.EXAMPLE', 'https://page.example/', 'https://page.example, https://page.example', 'http://localhost', 'http://127.0.0.1',
  'http://127.0.0.1:PORT', 'http://localhost:PORT', 'http://[::1]:PORT', 'http://localhost:3000', 'file://', 'chrome-extension://abcdef', 'vscode-webview://x',
  'app://obsidian.md', '*', '', 'undefined', 'https://page.example\u00a0', 'https://xn--pge-kla.example',
] as const // biome-ignore format: a list to be read as one

/** Header lines without an Origin: images, scripts, navigations, and values that no browser sends. */
export const foreignSites: readonly (readonly string[])[] = [
  ['Sec-Fetch-Site: cross-site'],
  ['Sec-Fetch-Site: same-site'],
  ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: image'],
  [
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: document',
    'Sec-Fetch-User: ?1',
  ],
  ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: websocket'],
  ['Sec-Fetch-Site: CROSS-SITE'],
  ['Sec-Fetch-Site: none', 'Sec-Fetch-Site: cross-site'],
  ['Sec-Fetch-Site: '],
  ['Sec-Fetch-Site: something new'],
]

/** Content types of forms and beacons, and look-alikes of the only accepted type. */
export const foreignTypes = [
  'text/plain', 'text/plain; charset=utf-8', 'text/plain;application/json', 'text/plain, application/json', 'text/json', 'text/x-json', 'text/html',
  'application/x-www-form-urlencoded', 'application/x-www-form-urlencoded; application/json', 'multipart/form-data; boundary=x', 'multipart/mixed',
  'application/jsonp', 'application/json5', 'application/json-patch+json', 'application/problem+json', 'application/vnd.api+json', 'application/x-json',
  'application/jsonlines', 'application/octet-stream', 'application/csp-report', 'application/reports+json', 'image/png', 'json', 'application', 'application/',
  '/json', '*/*', '', '"application/json"', 'application/json, text/plain', 'application /json', 'xapplication/json', 'application/json\u00a0',
] as const // biome-ignore format: a list to be read as one

export const jsonTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'Application/JSON',
  'application/json ; charset=x',
]
