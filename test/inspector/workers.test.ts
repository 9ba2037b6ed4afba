// The inspector of `dragoman serve --workers 2`: one page for all workers, whichever of them its requests reach.

import { beforeAll, describe, expect, it } from 'vitest'
import { startOpenAISim } from '../../sim/openai.ts'
import type { Sim } from '../../sim/server.ts'
import {
  type FiguresAnswer,
  pageHeader,
  type SearchAnswer,
  type TurnsAnswer,
} from '../../src/inspector/api.ts'
import { atTestEnd } from '../at-end.ts'
import { atEnd, Home, type Running } from '../cli/program.ts'
import { until } from '../end-to-end/wire.ts'
import { ask, chat, user } from '../harness.ts'

const patienceMs = 60_000
/** Each request on a connection of its own: it reaches any worker. */
const fresh = { connection: 'close' }
const turns = 12
/** A word that is in the content alone: the page finds titles itself. */
const needle = { role: 'system', content: 'Look for the needle.' }

interface Crew {
  openai: Sim
  running: Running
  headers: Record<string, string>
}

async function startCrew(): Promise<Crew> {
  const openai = await startOpenAISim({ lenient: true })
  atEnd(() => openai.close())
  const running = await new Home().serve(
    { auth: 'none', backends: { box: { kind: 'openai', baseUrl: `${openai.url}/v1`, apiKey: 'x' } } },
    ['--workers', '2', '--inspect'],
  )
  const token = () => /Inspector: \S+#login=(\S+)\n/.exec(running.stdout())?.[1]
  await until(() => token() !== undefined)
  return { openai, running, headers: await login(running.url, token() ?? '') }
}

async function login(url: string, token: string): Promise<Record<string, string>> {
  const answer = await fetch(`${url}/inspector/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...fresh },
    body: JSON.stringify({ token }),
  })
  expect(answer.status).toBe(200)
  const { page } = (await answer.json()) as { page: string }
  return { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '', [pageHeader]: page, ...fresh }
}

describe('with two workers', () => {
  let crew: Crew
  beforeAll(async () => {
    crew = await startCrew()
    for (let at = 0; at < turns; at++)
      await chat(crew.running.url, ask('box/m', { messages: [needle, user(`Turn ${at}`)] }), fresh)
  }, patienceMs)

  const get = (path: string, headers = crew.headers) => fetch(`${crew.running.url}${path}`, { headers })
  const list = async () => (await (await get('/inspector/turns')).json()) as TurnsAnswer

  it('every worker knows the login, and shows the turns and figures of all', async () => {
    for (let at = 0; at < 6; at++) {
      const answer = await list()
      expect(answer.turns.map(({ title }) => title)).toEqual(
        Array.from({ length: turns }, (_, turn) => `Turn ${turns - 1 - turn}`),
      )
      expect(answer.missing).toEqual([])
      const figures = (await (await get('/inspector/figures')).json()) as FiguresAnswer
      expect(figures).toMatchObject({ processes: 2, missing: [] })
      expect(figures.models.map(([name, { turns }]) => [name, turns])).toEqual([['box/m', turns]])
    }
  })

  it('every worker shows every turn, and its tape', async () => {
    for (const { id } of (await list()).turns) {
      const detail = await get(`/inspector/turns/${id}`)
      expect(await detail.json()).toMatchObject({ summary: { id } })
      expect(await (await get(`/inspector/turns/${id}/tape`)).text()).toContain(id)
      expect((await get(`/inspector/turns/${id}/transcript`)).status).toBe(200)
    }
    expect((await get('/inspector/turns/turn_none')).status).toBe(404)
  })

  it('a search finds the turns of all, newest first, whichever worker is asked', async () => {
    for (let at = 0; at < 6; at++) {
      const answer = await get('/inspector/search?words=needle')
      const { hits, searched, missing } = (await answer.json()) as SearchAnswer
      const { turns: all } = await list()
      expect(hits.map(({ turn }) => turn)).toEqual(all.map(({ id }) => id))
      expect({ searched, missing }).toEqual({ searched: turns, missing: [] })
    }
  })

  it('turns of one conversation belong together, whichever workers had them', async () => {
    const said = [user('One conversation')]
    for (let at = 0; at < 4; at++) {
      await chat(crew.running.url, ask('box/m', { messages: said }), fresh)
      said.push({ role: 'assistant', content: 'Yes.' }, user('And then?'))
    }
    const { turns: all } = await list()
    expect(new Set(all.slice(0, 4).map(({ conversation }) => conversation)).size).toBe(1)
    expect(all[4]?.conversation).not.toBe(all[3]?.conversation)
  })

  it('a page hears of the turns of all workers, and a logout ends it everywhere', async () => {
    const stop = new AbortController()
    atTestEnd(() => stop.abort())
    const headers = await login(crew.running.url, await linkFor(crew))
    const answer = await fetch(`${crew.running.url}/inspector/events`, { headers, signal: stop.signal })
    let text = ''
    const ended = (async () => {
      for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString()
    })().catch(() => undefined)
    for (let at = 0; at < 6; at++)
      await chat(crew.running.url, ask('box/m', { messages: [user(`Live ${at}`)] }), fresh)
    await until(
      () => Array.from({ length: 6 }, (_, at) => text.includes(`"Live ${at}"`)).every(Boolean),
      patienceMs,
    )
    await fetch(`${crew.running.url}/inspector/logout`, { method: 'POST', headers })
    await ended
    expect(text).toContain('"why":"logout"')
    for (let at = 0; at < 4; at++) expect((await get('/inspector/turns', headers)).status).toBe(401)
    expect((await get('/inspector/turns')).status).toBe(200)
  })

  it('a link works once, at whichever worker', async () => {
    const token = await linkFor(crew)
    await login(crew.running.url, token)
    for (let at = 0; at < 4; at++) {
      const again = await fetch(`${crew.running.url}/inspector/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...fresh },
        body: JSON.stringify({ token }),
      })
      expect(await again.json()).toEqual({ problem: 'used' })
    }
  })
})

/** As `dragoman inspect` gets one. */
async function linkFor({ running }: Crew): Promise<string> {
  const answer = await fetch(`${running.url}/inspector/links`, { method: 'POST', headers: fresh })
  return ((await answer.json()) as { token: string }).token
}
