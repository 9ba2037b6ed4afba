// `dragoman serve --inspect`, and links for its page.

import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { deadPort, Home, stackTrace } from './program.ts'

const home = new Home()
const backends = { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } }

const linkPattern = /^(http:\/\/127\.0\.0\.1:\d+)\/#login=([\w-]{43})$/

async function loginBy(link: string): Promise<number> {
  const [, url = '', token = ''] = linkPattern.exec(link) ?? []
  const answer = await fetch(`${url}/inspector/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  return answer.status
}

it('serve --inspect prints a link after the ready line, and inspect a new one', async () => {
  const running = await home.serve({ backends }, ['--inspect'])
  await expect.poll(() => running.stdout()).toMatch(/\nInspector: \S+\n/)
  const printed = /\nInspector: (\S+)\n/.exec(running.stdout())?.[1] ?? ''
  expect(printed.startsWith(running.url)).toBe(true)
  expect(await loginBy(printed)).toBe(200)
  expect(await loginBy(printed)).toBe(403)
  const { code, stdout, stderr } = await home.run(['inspect', '--url', running.url])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(await loginBy(stdout.trim())).toBe(200)
  const wrong = home.write('wrong-key', 'dgm_wrong_key_0123456789')
  const refused = await home.run(['inspect', '--url', running.url, '--key-file', wrong])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('does not take the key')])
  const ended = await running.stop()
  expect([ended.code, ended.stderr.includes(printed.split('=')[1] ?? '')]).toEqual([0, false])
})

it('inspect says of a gateway without it how to switch it on', async () => {
  const running = await home.serve({ auth: 'none', backends })
  expect(running.stdout()).not.toContain('Inspector:')
  const { code, stderr } = await home.run(['inspect', '--url', running.url])
  expect([code, stderr]).toEqual([1, expect.stringContaining('dragoman serve --inspect')])
  await running.stop()
})

it.each([
  ['nobody there', async () => `http://127.0.0.1:${await deadPort()}`, 1, '(ECONNREFUSED)'],
  ['another machine', async () => 'http://gate.example', 2, '--key-file FILE'],
])('inspect: %s', async (_name, url, exitCode, says) => {
  const { code, stdout, stderr } = await home.run(['inspect', '--url', await url()])
  expect([code, stdout, stderr]).toEqual([exitCode, '', expect.stringContaining(says)])
  expect(stderr).not.toMatch(stackTrace)
})

const tape = [
  { tape: 1, dragoman: '0', recordedAt: '2026-11-16T04:38:29.152Z', origin: 'recorded' },
  { side: 'gateway', do: 'begin', door: 'openai-chat', model: 'm', stream: true, key: 'me', createdAt: 1 },
  {
    side: 'client',
    do: 'request',
    method: 'POST',
    path: '/v1/chat/completions',
    headers: {},
    body: '{"messages":[]}',
  },
  { side: 'gateway', do: 'finish', outcome: 'stop', calls: 0, inputTokens: 1, outputTokens: 2 },
]
  .map((line) => `${JSON.stringify('tape' in line ? line : { at: 5, turn: 'turn_a', ...line })}\n`)
  .join('')

it('inspect FOLDER opens tapes in the same page, read only', async () => {
  const file = home.write('tapes/a.jsonl', tape)
  home.write('tapes/broken.jsonl', tape.slice(0, -20))
  const running = await home.start(['inspect', dirname(file)])
  await expect.poll(() => running.stdout()).toMatch(/\nInspector: \S+\n/)
  expect(running.stdout()).toContain('2 tape files in ')
  const link = /\nInspector: (\S+)\n/.exec(running.stdout())?.[1] ?? ''
  const [, url = '', token = ''] = linkPattern.exec(link) ?? []
  const type = { 'content-type': 'application/json' }
  const logged = await fetch(`${url}/inspector/login`, {
    method: 'POST',
    headers: type,
    body: JSON.stringify({ token }),
  })
  const { page } = (await logged.json()) as { page: string }
  const headers = {
    ...type,
    cookie: logged.headers.get('set-cookie')?.split(';')[0] ?? '',
    'x-dragoman-page': page,
  }
  const turns = async () =>
    ((await (await fetch(`${url}/inspector/turns`, { headers })).json()) as { turns: { id: string }[] }).turns
  await expect.poll(async () => (await turns()).length).toBe(2)
  expect(await turns()).toMatchObject([
    {
      error: { code: 'unreadable-tape', message: expect.stringContaining('broken.jsonl line 4 is cut off') },
    },
    { id: 'turn_a', outcome: 'stop' },
  ])
  const resent = await fetch(`${url}/inspector/turns/turn_a/resend`, { method: 'POST', headers, body: '{}' })
  expect([resent.status, await resent.text()]).toEqual([403, expect.stringContaining('tapes from disk')])
  for (const path of ['/inspector/turns', '/inspector/search?words=x'])
    expect((await fetch(url + path)).status).toBe(401)
  expect((await fetch(`${url}/inspector/links`, { method: 'POST' })).status).toBe(404)
  expect((await running.stop()).code).toBe(0)
})

it.each([
  ['nothing there', ['none'], 2, 'there is no such folder or file'],
  ['a gateway as well', ['.', '--url', 'http://127.0.0.1:1'], 2, '--url is for a running gateway'],
])('inspect TAPES: %s', async (_name, args, exitCode, says) => {
  const { code, stdout, stderr } = await home.run(['inspect', ...args])
  expect([code, stdout, stderr]).toEqual([exitCode, '', expect.stringContaining(says)])
  expect(stderr).not.toMatch(stackTrace)
})
