// FIFOs and devices instead of files: an error within a moment, never an endless wait.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { spread } from '../depth.ts'
import { Home, program, stackTrace } from './program.ts'

const backends = { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: '{file:key.txt}' } }
const fifoAt = (path: string) => {
  mkdirSync(dirname(path), { recursive: true })
  execFileSync('mkfifo', [path])
  return path
}

const wrongFiles = [
  ['a device', () => '/dev/zero', /is a device, not a file/],
  ['a FIFO', (home: Home, name: string) => fifoAt(home.path(name)), /is a pipe/],
] as const
describe.each(spread(wrongFiles, 1))('%s', (_what, make, says) => {
  it.concurrent('as --config', async () => {
    const home = new Home()
    const { code, stderr } = await home.run(['config', 'check', make(home, 'dragoman.jsonc')])
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)])
    expect(stderr).not.toMatch(stackTrace)
  })

  it.concurrent('as a tape', async () => {
    const home = new Home()
    const { code, stderr } = await home.run(['tape', 'show', make(home, 'tape.jsonl')])
    expect([code === 0, stderr]).toEqual([false, expect.stringMatching(says)])
    expect(stderr).not.toMatch(stackTrace)
  })

  it.concurrent('as {file:}', async () => {
    const home = new Home()
    const apiKey = `{file:${make(home, 'secret')}}`
    const file = home.write('dragoman.jsonc', { backends: { box: { ...backends.box, apiKey } } })
    const { code, stderr } = await home.run(['config', 'check', file])
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)])
  })
})

it('a FIFO as key file', async () => {
  const home = new Home()
  fifoAt(home.keyFile)
  const file = home.write('dragoman.jsonc', { backends: { box: { ...backends.box, apiKey: 'x' } } })
  const { code, stderr } = await home.run(['serve', '--config', file, '--port', '0'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('is a pipe (FIFO), not a file')])
})

it('the pipe of a shell is read as a configuration', () => {
  const home = new Home()
  writeFileSync(home.path('key.txt'), 'upstream-key')
  const config = JSON.stringify({ backends: { box: { ...backends.box, apiKey: 'x' } } })
  const { status, stdout } = spawnSync(
    'bash',
    ['-c', `"$0" "$1" config check <(sleep 0.2; printf '%s' "$2")`, process.execPath, program, config],
    { env: { PATH: process.env.PATH ?? '', ...home.env }, encoding: 'utf8', timeout: 20_000 },
  )
  expect([status, stdout]).toEqual([0, expect.stringContaining('box')])
})

it('a configuration that is nested 200,000 deep is an error, not a stack trace', async () => {
  const home = new Home()
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  const file = home.write('dragoman.jsonc', `{"backends":${deep}}`)
  const { code, stderr } = await home.run(['config', 'check', file])
  expect([code, stderr]).toEqual([2, expect.stringContaining('nested too deeply')])
  expect(stderr).not.toMatch(stackTrace)
})
