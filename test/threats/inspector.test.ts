// The inspector shows conversations, only to users who followed one of its links, and always as text.

import { describe, expect, it } from 'vitest'
import { describeWith } from '../debian-program.ts'
import { isNightly, spread } from '../depth.ts'
import { expectNothingStray, hostLine, rawRequest } from '../end-to-end/wire.ts'
import { ask, type Bench, chat, useBench, user } from '../harness.ts'
import {
  json,
  login,
  loginBy,
  openInspector,
  postLogin,
  tokenOf,
  useBrowser,
  useInspected,
} from '../inspector/inspected.ts'
import { chromiumProgram } from './browser.ts'
import { foreignHosts } from './cases/hosts.ts'
import { foreignActions, halfLogins, markups } from './cases/inspector.ts'
import { key } from './cases/keys.ts'
import { foreignOrigins, foreignSites, foreignTypes } from './cases/pages.ts'

/** Who adds a route that needs no login must add it here as well, and say why in docs/threat-model.md. */
const open = ['GET /', 'GET /inspector/app.js', 'GET /inspector/style.css', 'POST /inspector/login']
/** Needs the key itself. */
const keyed = ['POST /inspector/links']

expectNothingStray()
const locked = useInspected({
  settings: { auth: undefined },
  gateway: { keys: [{ name: 'laptop', key }] },
})
const unlocked = useInspected()

const routesOf = (bench: Bench) => bench.gateway.inspector?.routes ?? []
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const pathOf = (path: string) => path.replace('*', 'turn_x')
const linesOf = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`)

it('the lists of open routes and of routes for a login are known', () => {
  const routes = routesOf(locked)
  expect(routes.filter((route) => route.open).map(nameOf)).toEqual(open)
  expect(routes.filter((route) => !route.open && !route.page).map(nameOf)).toEqual(keyed)
})

describe.each([
  ['that asks for a key', locked],
  ['that asks for none', unlocked],
])('a gateway %s', (_name, bench) => {
  it.each(spread(halfLogins, 12))('$name is not a login', async ({ headers }) => {
    const [one, other] = [await login(bench), await login(bench)]
    const [cookie = '', value = ''] = one.cookie.split('=')
    const half = headers({
      name: cookie,
      value,
      page: one['x-dragoman-page'],
      other: other['x-dragoman-page'],
    })
    for (const route of routesOf(bench).filter(({ page, open: isOpen }) => page && !isOpen)) {
      const answer = await rawRequest(bench.url, {
        method: route.method,
        path: pathOf(route.path),
        lines: [hostLine(bench.url), ...linesOf(half)],
      })
      expect([nameOf(route), answer.status]).toEqual([nameOf(route), 401])
      expect(answer.head).not.toMatch(/set-cookie/i)
    }
  })

  it('open routes have no data and set no cookie', async () => {
    await chat(bench.url, ask('openai/gpt-4o'), { authorization: `Bearer ${key}` })
    for (const path of ['/', '/inspector/app.js', '/inspector/style.css']) {
      const answer = await fetch(`${bench.url}${path}`, { headers: { accept: 'text/html' } })
      expect([path, answer.status, answer.headers.get('set-cookie')]).toEqual([path, 200, null])
      expect(await answer.text()).not.toContain('gpt-4o')
    }
  })

  it('a link works once', async () => {
    const token = tokenOf(bench)
    expect((await postLogin(bench, token)).status).toBe(200)
    const again = await postLogin(bench, token)
    expect([again.status, again.headers.get('set-cookie')]).toEqual([403, null])
    expect(await again.json()).toEqual({ problem: 'used' })
  })
})

it('links require the key', async () => {
  const post = (headers: Record<string, string>) =>
    fetch(`${locked.url}/inspector/links`, { method: 'POST', headers })
  expect((await post({})).status).toBe(401)
  expect((await post(await login(locked))).status).toBe(401)
  expect((await post({ authorization: `Bearer ${key}` })).status).toBe(200)
})

describe('several keys', () => {
  const shared = useInspected({
    settings: { auth: undefined },
    gateway: {
      keys: [
        { name: 'laptop', key },
        { name: 'ci', key: `${key}-of-another` },
      ],
    },
  })
  const own = { authorization: `Bearer ${key}` }
  const others = { authorization: `Bearer ${key}-of-another` }

  it("a key, and a link requested with it, show only that key's turns and sessions", async () => {
    const { body: none } = await json(shared, '/inspector/turns', own)
    expect(none.turns).toEqual([])
    await chat(shared.url, ask('cursor/composer-2', { messages: [user('Read secret.txt')] }), others)
    const { body: theirs } = await json(shared, '/inspector/turns', others)
    expect(theirs.turns).toMatchObject([{ title: 'Read secret.txt', key: 'ci' }])
    expect(theirs.sessions).toMatchObject([{ waiting: 1, sessions: [{ state: 'waiting' }] }])
    const answer = await fetch(`${shared.url}/inspector/links`, { method: 'POST', headers: own })
    const { token } = (await answer.json()) as { token: string }
    for (const headers of [own, await loginBy(shared, token)]) {
      const { body } = await json(shared, '/inspector/turns', headers)
      expect([body.turns, body.sessions]).toEqual([[], [{ backend: 'cursor', ...nothing }]])
      for (const path of ['', '/tape', '/transcript', '/parts/0', '/parts/1', '/comparison'])
        expect((await json(shared, `/inspector/turns/${theirs.turns[0].id}${path}`, headers)).status).toBe(
          404,
        )
    }
    const { body: operators } = await json(shared, '/inspector/turns', await login(shared))
    expect(operators.turns).toHaveLength(1)
  })

  it.each(foreignActions)("another key's turn: nobody can $name", async ({ method, path, body, status }) => {
    const word = 'xylophone'
    await chat(
      shared.url,
      ask('openai/gpt-4o', { messages: [user('Ask'), user(word), user('Last')] }),
      others,
    )
    const before = (await json(shared, '/inspector/turns', others)).body.turns
    const [{ id, conversation }] = before
    const answer = await fetch(`${shared.url}/inspector/links`, { method: 'POST', headers: own })
    const { token } = (await answer.json()) as { token: string }
    const sent = shared.openai.requests.length
    for (const headers of [own, await loginBy(shared, token)]) {
      const tried = await fetch(
        shared.url + path.replace('ID', id).replace('CONVERSATION', conversation).replace('WORD', word),
        {
          method,
          headers: { ...headers, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
      )
      expect(tried.status).toBe(status)
      const text = await tried.text()
      for (const told of [id, word]) expect(text).not.toContain(told)
    }
    expect(shared.openai.requests.length).toBe(sent)
    expect((await json(shared, '/inspector/turns', others)).body.turns).toEqual(before)
  })

  const nothing = { answering: 0, waiting: 0, waitingBytes: 0, sessions: [] }
})

describe('pages of others', () => {
  const own = () => `http://127.0.0.1:${new URL(locked.url).port}`

  async function expectForbidden(lines: readonly string[], status = 403) {
    const logged = linesOf(await login(locked))
    for (const route of routesOf(locked)) {
      const sent = [hostLine(locked.url), 'Accept: text/html', ...logged, ...lines]
      const answer = await rawRequest(locked.url, {
        method: route.method,
        path: pathOf(route.path),
        lines: sent,
      })
      expect([nameOf(route), answer.status]).toEqual([nameOf(route), status])
      expect(answer.head).not.toMatch(/^(access-control|set-cookie)/im)
    }
  }

  const origins = foreignOrigins.filter((origin) => origin !== 'http://127.0.0.1:PORT')
  it.each(spread(origins, 8))('Origin %j: 403 with a whole login, on every route', (origin) =>
    expectForbidden([`Origin: ${origin.replace('PORT', new URL(locked.url).port)}`]),
  )

  it.each(foreignSites.map((lines) => [lines.join(', '), lines] as const))('%s: 403', (_name, lines) =>
    expectForbidden(lines),
  )

  it('the own origin from another site: 403', () =>
    expectForbidden([`Origin: ${own()}`, 'Sec-Fetch-Site: cross-site']))

  it('the own origin may use the routes of the page, and no others', async () => {
    const headers = { origin: own(), 'sec-fetch-site': 'same-origin', authorization: `Bearer ${key}` }
    expect((await fetch(`${locked.url}/inspector/turns`, { headers })).status).toBe(200)
    for (const path of ['/v1/models', '/metrics', '/readyz'])
      expect((await fetch(`${locked.url}${path}`, { headers })).status).toBe(403)
    const links = await fetch(`${locked.url}/inspector/links`, { method: 'POST', headers })
    expect(links.status).toBe(403)
  })

  it.each(foreignTypes)('a login sent as %j: 415', async (type) => {
    const body = JSON.stringify({ token: tokenOf(locked) })
    const lines = [hostLine(locked.url), `Content-Type: ${type}`, `Content-Length: ${body.length}`]
    const answer = await rawRequest(locked.url, { method: 'POST', path: '/inspector/login', lines, body })
    expect(answer.status).toBe(415)
  })
})

it.each(foreignHosts)('Host %j: 421 with a whole login', async (host) => {
  const lines = [
    `Host: ${host.replaceAll('PORT', new URL(locked.url).port)}`,
    ...linesOf(await login(locked)),
  ]
  for (const path of ['/', '/inspector/turns', '/inspector/events'])
    expect((await rawRequest(locked.url, { path, lines: [...lines, 'Accept: text/html'] })).status).toBe(421)
})

describe('where it is off', () => {
  const off = useBench()

  it.each(['/inspector', '/inspector/turns', '/inspector/app.js'])('%s: 404 that says how', async (path) => {
    const answer = await fetch(`${off.url}${path}`)
    expect(answer.status).toBe(404)
    expect(await answer.text()).toContain('dragoman serve --inspect')
  })

  it('/ is unchanged, for browsers too', async () => {
    const answer = await fetch(`${off.url}/`, { headers: { accept: 'text/html' } })
    expect(await answer.text()).toContain('POST /v1/chat/completions')
  })
})

describeWith([chromiumProgram], 'a real browser', () => {
  const browsing = useBrowser()

  it.runIf(isNightly)('markup is shown as the text that it is, wherever it comes from', async () => {
    const said = markups.map((markup) => markup.replace('SAY', "alert('run')"))
    const all = said.join('\n')
    unlocked.openai.play([
      { say: all },
      ...said.map((path) => ({ call: { name: 'read', arguments: { path } } })),
      { end: 'tool_calls' },
    ])
    const { page, context, complaints } = await openInspector(browsing.browser, unlocked)
    const messages = said.map((content) => ({ role: 'user', content }))
    await chat(unlocked.url, ask('openai/gpt-4o', { messages, user: all }), { 'user-agent': 'opencode/1' })
    // No backend has such a name: its error is shown, too.
    await chat(unlocked.url, ask(all, { messages }))
    const rows = page.getByRole('option')
    await rows.nth(1).waitFor()
    let seen = ''
    const strange = 'script, iframe, img, base, style, form, meta, math, [onload], [onerror]'
    // In a transcript, addresses are links, which send no referrer. The header leads to the figures.
    const own = '.transcript a[href^="http"][rel="noreferrer noopener"], header a[href="#figures"]'
    const link = `a:not(${own})`
    for (const nth of [0, 1]) {
      await rows.nth(nth).click()
      for (const tab of ['Transcript', 'Steps', 'Client frames', 'Upstream frames', 'Request']) {
        await page.getByRole('tab', { name: tab }).click()
        for (const frame of await page.locator('.frame').all()) await frame.click()
        expect(await page.locator(`#app :is(${strange}, ${link})`).count()).toBe(0)
        seen += await page.locator('#app').innerText()
      }
    }
    expect(said.filter((one) => !seen.includes(one))).toEqual([])
    expect(complaints).toEqual([])
    await context.close()
  })
})
