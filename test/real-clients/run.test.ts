// What is wrong with a call is said before anything is installed or run.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const program = fileURLToPath(new URL('run.mjs', import.meta.url))
const claudeCode = fileURLToPath(new URL('claude-code/run.mjs', import.meta.url))
const codex = fileURLToPath(new URL('codex.mjs', import.meta.url))
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
  [claudeCode, ['--nonsense'], "Unknown option '--nonsense'"],
  [claudeCode, ['--service', 'opnai'], 'there is no service "opnai"; there are: anthropic, openai, cursor'],
  [claudeCode, ['--scenario', 'websearch'], 'there is no scenario "websearch"; there are: tool search with'],
  [codex, ['--kind', 'qwen'], 'there is no kind "qwen"; there are: anthropic, openai, responses, gemini'],
  [codex, ['--task', 'patch'], 'there is no task "patch"; there are: read a file'],
  [codex, ['--failure', '500'], 'there is no failure "500"; there are: bad request (400)'],
])('%s %j', (contract, args, expected) => {
  const { status, stderr } = spawnSync(process.execPath, [contract, ...args], { encoding: 'utf8' })
  expect(status).toBe(2)
  expect(stderr).toMatch(/^dragoman: .*\n$/)
  expect(stderr).toContain(expected)
})
