import { expect, it } from 'vitest'
import { Semaphore } from './semaphore.ts'

const never = new AbortController().signal

it('grants no more permits than there are, also when a waiter gives up', async () => {
  const semaphore = new Semaphore(2)
  const [first, second] = [await semaphore.acquire(never), await semaphore.acquire(never)]
  const impatient = new AbortController()
  const order: string[] = []
  const waiting = [
    semaphore.acquire(never).then((release) => {
      order.push('third')
      return release
    }),
    semaphore.acquire(impatient.signal),
    semaphore.acquire(never).then((release) => {
      order.push('fifth')
      return release
    }),
  ]
  impatient.abort()
  expect(await waiting[1]).toBeUndefined()
  expect(semaphore.taken).toBe(2)
  expect(order).toEqual([])
  first?.()
  const third = await waiting[0]
  // A newcomer does not get a permit ahead of the line.
  const late = semaphore.acquire(never)
  expect([semaphore.taken, order]).toEqual([2, ['third']])
  second?.()
  const fifth = await waiting[2]
  const free = semaphore.allFree()
  third?.()
  fifth?.()
  ;(await late)?.()
  await free
  expect([semaphore.taken, order]).toEqual([0, ['third', 'fifth']])
})

it('grants none to a signal that has aborted already', async () => {
  const semaphore = new Semaphore(1)
  expect(await semaphore.acquire(AbortSignal.abort())).toBeUndefined()
  expect(semaphore.taken).toBe(0)
  await semaphore.allFree()
})
