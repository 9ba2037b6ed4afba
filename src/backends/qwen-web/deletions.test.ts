import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../core/errors.ts'
import { Deletions } from './deletions.ts'

/** Deletes on command. */
function create() {
  const asked: string[] = []
  const open: { resolve(): void; reject(error: Error): void }[] = []
  const deletions = new Deletions((id) => {
    asked.push(id)
    return new Promise((resolve, reject) => open.push({ resolve, reject }))
  })
  return { deletions, asked, open }
}

const turnOfEvents = () => new Promise((resolve) => setImmediate(resolve))

describe('Deletions', () => {
  it('run a few at a time, all of them', async () => {
    const { deletions, asked, open } = create()
    const ids = Array.from({ length: 9 }, (_, at) => `chat ${at}`)
    for (const id of ids) deletions.add(id)
    expect(asked).toEqual(ids.slice(0, 4))
    const settled = deletions.settle()
    for (let next = open.shift(); next; next = open.shift()) {
      next.resolve()
      await turnOfEvents()
    }
    await settled
    expect(asked).toEqual(ids)
  })

  it('continue after a failure, and stop at the gate', async () => {
    const { deletions, asked, open } = create()
    for (let at = 0; at < 9; at++) deletions.add(`chat ${at}`)
    open.shift()?.reject(new GatewayError('upstream-unavailable', 'x'))
    await turnOfEvents()
    expect(asked).toHaveLength(5)
    open.shift()?.reject(new GatewayError('upstream-challenge', 'x'))
    for (const { resolve } of open) resolve()
    await deletions.settle()
    expect(asked).toHaveLength(5)
    deletions.add('later')
    expect(asked.at(-1)).toBe('later')
  })
})
