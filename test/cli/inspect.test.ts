// `dragoman serve --inspect`, and links for its page.

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

it('several workers with the inspector are refused at once', async () => {
  const file = home.write('workers.jsonc', { backends, workers: 2, inspector: { enabled: true } })
  const { code, stderr } = await home.run(['serve', '--config', file, '--port', '0'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('The inspector shows the turns of one process')])
})
