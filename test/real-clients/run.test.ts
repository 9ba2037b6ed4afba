// What is wrong with a call is said before anything is installed or run.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const program = fileURLToPath(new URL('run.mjs', import.meta.url))
const claudeCode = fileURLToPath(new URL('claude-code/run.mjs', import.meta.url))
const readme = fileURLToPath(new URL('../../README.md', import.meta.url))

it.each([
  [['--nonsense'], "Unknown option '--nonsense'"],
  [['--client', 'vim'], 'there is no client "vim"; there are: opencode'],
  [['--write', readme], 'has no place for the table'],
  [['--write', '/not/there.md'], 'has no place for the table'],
  [[], 'run it as root on Linux, with util-linux and iproute2 (spawnSync unshare ENOENT)'],
])('%j', (args, expected) => {
  const env = { PATH: '/nowhere' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    env,
  })
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(/^dragoman: .*\n$/)
  expect(stderr).toContain(expected)
})

it.each([
  [['--nonsense'], "Unknown option '--nonsense'"],
  [['--service', 'opnai'], 'there is no service "opnai"; there are: anthropic, openai, cursor'],
  [['--scenario', 'websearch'], 'there is no scenario "websearch"; there are: tool search with 200 tools'],
])('claude-code %j', (args, expected) => {
  const { status, stderr } = spawnSync(process.execPath, [claudeCode, ...args], { encoding: 'utf8' })
  expect(status).toBe(2)
  expect(stderr).toMatch(/^dragoman: .*\n$/)
  expect(stderr).toContain(expected)
})
