// What takes longer than a second is told of on a terminal, and the line is gone at the end.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { accounts } from '../../src/cli/accounts.ts'
import { init } from '../../src/cli/init.ts'
import { launch } from '../../src/cli/launch.ts'
import { installService } from '../../src/cli/service.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { controlFolder, writeControlFile } from '../../src/process/control-file.ts'
import { atEnd, atTestEnd } from '../at-end.ts'
import { Home } from './program.ts'

const home = new Home()
/** Answers in its own time. */
let slow: Server
let port = 0
const slowMs = 1_300

beforeAll(async () => {
  slow = createServer((_request, response) => {
    setTimeout(() => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ accounts: [], data: [{ id: 'small' }], message: 'hello' }))
    }, slowMs)
  })
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  port = (slow.address() as AddressInfo).port
  atEnd(() => slow.close())
})

let written = ''
const terminal = process.stderr.isTTY
const { env } = process

beforeEach(() => {
  written = ''
  process.stderr.isTTY = true
  process.env = {
    ...{ PATH: env.PATH, HOME: home.folder, XDG_STATE_HOME: home.path('state') },
    ...{ XDG_DATA_HOME: home.path('data'), XDG_CONFIG_HOME: home.path('config') },
  }
  for (const stream of [process.stderr, process.stdout])
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      written += text
      return true
    })
})
afterEach(() => {
  vi.restoreAllMocks()
  process.stderr.isTTY = terminal
  process.env = env
  process.exitCode = undefined
})

const expectTold = (what: string) => {
  expect(written).toContain(`\r\x1b[K${what} … 1 s`)
  expect(written.split(`${what} … `).at(-1)).toContain('\r\x1b[K')
}

it('init: while it looks for servers', async () => {
  const server = { title: 'Slow', port, name: 'slow' } as never
  await init({ print: true }, { servers: [server], environment: readEnvironment() }).catch(() => undefined)
  expectTold('looking for keys, logins and servers')
})

it('accounts: while the gateway is busy', async () => {
  const gateway = { url: `http://127.0.0.1:${port}`, pid: process.pid, token: 't', file: '/dragoman.jsonc' }
  atTestEnd(writeControlFile(controlFolder(readEnvironment().stateFolder), gateway))
  await accounts('list', undefined, {})
  expectTold('waiting for the gateway')
})

it('launch: while the models are listed', async () => {
  const config = home.write('launch.jsonc', {
    backends: { box: { kind: 'openai', baseUrl: `http://127.0.0.1:${port}/v1` } },
  })
  await launch('env', [process.execPath, '-e', '0'], { config, yes: true })
  expectTold('asking the gateway for its models')
})

it('service: while the gateway starts', async () => {
  const config = home.write('service.jsonc', { backends: { box: { kind: 'cursor' } } })
  const folder = home.path('programs')
  const manager = home.write('programs/schtasks', '#!/bin/sh\nexit 0\n')
  process.env.PATH = `${folder}:${process.env.PATH}`
  const { chmodSync } = await import('node:fs')
  chmodSync(manager, 0o755)
  // On this system a path of Windows is the name of a file, in the folder where the command runs.
  const before = process.cwd()
  process.chdir(folder)
  atTestEnd(() => process.chdir(before))
  const around = { system: 'windows', environment: readEnvironment(), patienceMs: slowMs } as const
  await installService({ config }, around).catch(() => undefined)
  expectTold('waiting for the gateway')
})
