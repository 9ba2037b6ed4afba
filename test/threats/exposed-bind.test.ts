// Listening on the network requires configured, long keys. test/cli/serve.test.ts tests the command and its exit codes.

import { expect, it } from 'vitest'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import { createGateway } from '../../src/gateway.ts'
import { bindProblem } from '../../src/process/bind.ts'
import { runGateway } from '../../src/process/run-gateway.ts'
import { loopbackHosts, reachableHosts, weakAuths } from './cases/binds.ts'

const environment = readEnvironment({ HOME: '/nonexistent' })

function configOf(host: string, auth: unknown) {
  const backends = { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:1' } }
  return parseConfig(JSON.stringify({ listen: { host, port: 0 }, auth, backends }), { environment }).config
}

it.each(reachableHosts)(
  '%j: exit code 2 before anything listens, unless there is a long key',
  async (host) => {
    for (const { name, auth } of weakAuths) {
      const started = runGateway({ config: configOf(host, auth), keys: [] })
      const told = await started.catch((error) => [error.name, error.exitCode, error.message])
      expect([name, told]).toEqual([name, ['CommandError', 2, expect.stringContaining(host)]])
    }
    const library = await createGateway({
      config: configOf(host, undefined),
      keys: [],
      writeLog: () => undefined,
    })
    await expect(library.listen()).rejects.toThrow('refused without a key')
    await library.close()
    expect(bindProblem(configOf(host, { keys: [{ name: 'a', key: 'k'.repeat(32) }] }))).toBeUndefined()
  },
)

it.each(loopbackHosts)('%s is this machine alone', (host) => {
  for (const auth of [undefined, 'none', { keys: [{ name: 'a', key: 'k'.repeat(8) }] }])
    expect(bindProblem(configOf(host, auth))).toBeUndefined()
})

it('the default is loopback', () => {
  const backends = { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:1' } }
  const { config } = parseConfig(JSON.stringify({ backends }), { environment })
  expect(config.listen.host).toBe('127.0.0.1')
})
