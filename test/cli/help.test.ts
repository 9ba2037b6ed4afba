// Help texts and versions.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Home, root } from './program.ts'

const home = new Home()
const commands = [
  'init', 'serve', 'demo', 'launch', 'reload', 'service', 'inspect', 'accounts', 'models', 'probe', 'setup', 'sim', 'tape', 'conform', 'config', 'doctor',
  'usage', 'completion',
] // biome-ignore format: a list to be read as one

it.concurrent('--help names every command, and what to run first', async () => {
  const { code, stdout, stderr } = await home.run(['--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'))
  expect(stdout).toContain('dragoman demo')
})

it.concurrent('without a command shows the same, as a mistake', async () => {
  const { code, stderr } = await home.run([])
  expect(code).not.toBe(0)
  expect(stderr).toContain('Usage: dragoman')
})

it.concurrent.each(['serve', 'config'])('%s --help describes the command', async (command) => {
  const { code, stdout } = await home.run([command, '--help'])
  expect(code).toBe(0)
  expect(stdout).toContain(`Usage: dragoman ${command}`)
})

it.concurrent.each(['--version', '-v', 'version'])('%s is that of the package', async (word) => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { code, stdout } = await home.run([word])
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${version}\n` })
})

it.concurrent.each([
  [['serv'], 'Did you mean serve?'],
  [['config', 'shcema'], 'Did you mean schema?'],
  [['serve', '--prot', '1'], 'Did you mean --port?'],
  [['serve', 'extra'], 'too many arguments'],
])('%j: the mistake is named, with where to look', async (args, expected) => {
  const { code, stdout, stderr } = await home.run(args)
  expect(code).not.toBe(0)
  expect(stdout).toBe('')
  expect(stderr).toContain(expected)
  expect(stderr).toContain('--help')
})
