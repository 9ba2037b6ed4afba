// T63: which of Cursor's hosts takes a run. docs/wire-cases.md explains it.

import { describe, expect, it } from 'vitest'
import { type CursorSim, type CursorSimOptions, startCursorSim } from '../../sim/cursor.ts'
import { answerOf, askCursor, type CursorBench, cursorKey, startCursorBench } from '../cursor-bench.ts'
import { noRetries } from '../harness.ts'

const forms = ['streamed', 'whole'] as const

interface Hosts extends CursorBench {
  agent: CursorSim
  agentn: CursorSim
}

/** The API's host, which names two agent hosts; these may be in the wrong place. */
async function withHosts(
  agentOptions: CursorSimOptions,
  agentnOptions: CursorSimOptions,
  { transport = 'auto', sim = {} }: { transport?: 'auto' | 'http2' | 'sse'; sim?: CursorSimOptions } = {},
): Promise<Hosts> {
  const agent = await startCursorSim({ role: 'agent', apiKey: cursorKey, ...agentOptions })
  const { auth } = agent
  const agentn = await startCursorSim({ role: 'agent', auth, ...agentnOptions })
  const bench = await startCursorBench({
    transport,
    sim: { agentUrl: agent.url, agentnUrl: agentn.url, auth, ...sim },
    gateway: { retryPolicy: noRetries },
  })
  const close = async () => {
    await bench.close()
    await Promise.all([agent.close(), agentn.close()])
  }
  return { ...bench, agent, agentn, close }
}

const runs = (...sims: CursorSim[]) => sims.map((sim) => sim.runs.length)
const paths = ({ requests }: CursorSim) => requests.map(({ path }) => path.split('/').at(-1))

describe.each(forms)('T63: the host of a run, %s', (form) => {
  it('is the base URL over HTTP/1.1: agent hosts answer that with 464', async () => {
    const hosts = await withHosts({}, {}, { transport: 'sse' })
    expect(await answerOf(hosts.url, askCursor('Hello'), form)).toMatchObject({ status: 200, finish: 'stop' })
    expect(runs(hosts.agent, hosts.agentn, hosts.sim)).toEqual([0, 0, 1])
    await hosts.close()
  })

  it('is the base URL where the agent host takes no HTTP/2 either', async () => {
    const hosts = await withHosts({ http2: 'off' }, {})
    expect(await answerOf(hosts.url, askCursor('Hello'), form)).toMatchObject({ status: 200, finish: 'stop' })
    expect(runs(hosts.agent, hosts.agentn, hosts.sim)).toEqual([0, 0, 1])
    expect(hosts.sim.runs[0]?.transport).toBe('sse')
    expect(paths(hosts.agent)).toEqual(['Run'])
    await hosts.close()
  })

  it.each(['wrong', 'refused'] as const)('is the other agent host where the region is %s', async (region) => {
    const hosts = await withHosts({ region }, {})
    for (const _ of [1, 2])
      expect(await answerOf(hosts.url, askCursor('Hello'), form)).toMatchObject({
        status: 200,
        finish: 'stop',
      })
    expect(runs(hosts.agent, hosts.agentn, hosts.sim)).toEqual([0, 2, 0])
    expect(hosts.agentn.runs[0]?.transport).toBe('http2')
    // Once was enough to know it.
    expect(paths(hosts.agent)).toEqual(['Run'])
    await hosts.close()
  })

  it('is the base URL where neither serves the region', async () => {
    const hosts = await withHosts({ region: 'wrong' }, { region: 'refused' }, { transport: 'http2' })
    expect(await answerOf(hosts.url, askCursor('Hello'), form)).toMatchObject({ status: 200, finish: 'stop' })
    expect(runs(hosts.agent, hosts.agentn, hosts.sim)).toEqual([0, 0, 1])
    await hosts.close()
  })

  it('is an error if all of them refuse, with the message of the first', async () => {
    const region = 'refused'
    const hosts = await withHosts({ region }, { region }, { transport: 'http2', sim: { region } })
    const answer = await answerOf(hosts.url, askCursor('Hello'), form)
    expect(answer.status).toBe(400)
    expect(answer.error?.message).toContain('This region is not yet available for your team')
    await hosts.close()
  })
})
