// `dragoman accounts`: the accounts of a running gateway.

import { expect, it } from 'vitest'
import { SimAccounts } from '../../sim/accounts.ts'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { isNightly } from '../depth.ts'
import { atEnd, Home, stackTrace } from './program.ts'

const keyOf = (name: string) => `sk-cli-${name}-0123456789`

it.runIf(isNightly)('shows them, and takes one out and in again', async () => {
  const accounts = new SimAccounts()
  const sim = await startAnthropicSim({ accounts })
  atEnd(() => sim.close())
  const home = new Home()
  const names = ['one', 'two']
  const claude = {
    ...{ kind: 'anthropic', baseUrl: sim.url },
    accounts: names.map((name) => ({ name, apiKey: keyOf(name) })),
  }
  const running = await home.serve({ auth: 'none', backends: { claude } }, ['--port', '0'])
  atEnd(() => running.stop())
  const ask = (account: string) =>
    fetch(`${running.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-dragoman-account': account },
      body: JSON.stringify({
        model: 'claude/claude-sonnet-4-5',
        messages: [{ role: 'user', content: 'hello' }],
      }),
    })
  accounts.revoke(keyOf('two'))
  expect([(await ask('one')).status, (await ask('two')).status]).toEqual([200, 502])

  const listed = await home.run(['accounts'])
  expect(listed).toMatchObject({ code: 0, stderr: '' })
  expect(listed.stdout).toMatch(/^claude@one {2}ready$/m)
  expect(listed.stdout).toMatch(
    /^claude@two {2}NEEDS LOGIN: its key or login was refused \(HTTP 401\), since /m,
  )
  expect(listed.stdout).toMatch(/requests: \d+ % of 1000 used, reset /)
  expect(listed.stdout).not.toContain('sk-cli')

  const disabled = await home.run(['accounts', 'disable', 'claude@one'])
  expect(disabled.stdout).toBe('claude@one gets no more turns; those under way go on.\n')
  const json = await home.run(['accounts', 'list', 'one', '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject([{ backend: 'claude', account: 'one', state: 'disabled' }])
  expect((await home.run(['accounts', 'enable', 'one'])).code).toBe(0)
  accounts.heal(keyOf('two'))
  expect((await home.run(['accounts', 'clear', 'two'])).code).toBe(0)
  expect([(await ask('one')).status, (await ask('two')).status]).toEqual([200, 200])

  for (const args of [['clear'], ['clear', 'nobody'], ['drop', 'one'], ['list', 'nobody']]) {
    const { code, stderr } = await home.run(['accounts', ...args])
    expect(code).toBe(2)
    expect(stderr).not.toMatch(stackTrace)
  }
})
