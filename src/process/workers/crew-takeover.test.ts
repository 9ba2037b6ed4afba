import { describe, expect, it } from 'vitest'
import type { NextConfig } from '../../gateway.ts'
import { RemoteError } from './channel.ts'
import { CrewTakeover } from './crew-takeover.ts'

type Answer = () => Promise<unknown>

/** A worker that notes its orders. */
function worker(answers: Record<string, Answer> = {}) {
  const orders: string[] = []
  const call = async (name: string) => {
    orders.push(name)
    return answers[name]?.() ?? (name === 'prepare' ? ['box'] : undefined)
  }
  return { orders, call: call as never }
}

const never = () => new Promise<never>(() => undefined)
const gone = () => Promise.reject(new Error('the other process has ended'))
const nextFor = () => ({}) as NextConfig

async function crewOf(...workers: ReturnType<typeof worker>[]): Promise<CrewTakeover> {
  const crew = new CrewTakeover(20)
  for (const [at, one] of workers.entries()) await crew.join(at + 1, one, async () => undefined)
  return crew
}

describe('all workers', () => {
  it('prepare, and switch only when all are ready', async () => {
    let isReady = (_replaced: string[]): void => undefined
    const slow = worker({
      prepare: () =>
        new Promise((resolve) => {
          isReady = resolve
        }),
    })
    const quick = worker()
    const crew = await crewOf(quick, slow)
    const preparing = crew.prepare(nextFor)
    await Promise.resolve()
    expect([quick.orders, slow.orders]).toEqual([['prepare'], ['prepare']])
    isReady(['box', 'other'])
    const prepared = await preparing
    expect(prepared.replaced).toEqual(['box', 'other'])
    await prepared.commit()
    expect([quick.orders, slow.orders]).toEqual([
      ['prepare', 'commit'],
      ['prepare', 'commit'],
    ])
  })

  it('discard it if one of them refuses', async () => {
    const [willing, refusing] = [
      worker(),
      worker({ prepare: () => Promise.reject(new RemoteError('no such file')) }),
    ]
    const crew = await crewOf(willing, refusing)
    await expect(crew.prepare(nextFor)).rejects.toThrow('no such file')
    expect([willing.orders, refusing.orders]).toEqual([
      ['prepare', 'discard'],
      ['prepare', 'discard'],
    ])
  })

  it('discard it if one of them does not answer', async () => {
    const crew = await crewOf(worker(), worker({ prepare: never, discard: never }))
    await expect(crew.prepare(nextFor)).rejects.toThrow('worker 2 has not answered')
  })

  it('switch without one that ends meanwhile', async () => {
    const [left, other] = [worker({ prepare: gone, commit: gone }), worker()]
    const prepared = await (await crewOf(left, other)).prepare(nextFor)
    await prepared.commit()
    expect(other.orders).toEqual(['prepare', 'commit'])
  })
})

it('one that starts meanwhile waits for the outcome', async () => {
  const crew = await crewOf(worker())
  const prepared = await crew.prepare(nextFor)
  const [late, started] = [worker(), [] as string[]]
  const joined = crew.join(2, late, async () => void started.push('start'))
  await Promise.resolve()
  expect(started).toEqual([])
  await prepared.discard()
  await joined
  expect(started).toEqual(['start'])
  expect(late.orders).toEqual([])
  await (await crew.prepare(nextFor)).commit()
  expect(late.orders).toEqual(['prepare', 'commit'])
})
