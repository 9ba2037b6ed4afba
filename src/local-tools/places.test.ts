import { expect, it } from 'vitest'
import { Places } from './places.ts'

const never = new AbortController().signal

it('gives no more places than there are, whoever gives up waiting', async () => {
  const places = new Places(2)
  const [first, second] = [await places.take(never), await places.take(never)]
  const impatient = new AbortController()
  const order: string[] = []
  const waiting = [
    places.take(never).then((leave) => {
      order.push('third')
      return leave
    }),
    places.take(impatient.signal),
    places.take(never).then((leave) => {
      order.push('fifth')
      return leave
    }),
  ]
  impatient.abort()
  expect(await waiting[1]).toBeUndefined()
  expect(places.taken).toBe(2)
  expect(order).toEqual([])
  first?.()
  const third = await waiting[0]
  // One that comes now does not get what was meant for those in line.
  const late = places.take(never)
  expect([places.taken, order]).toEqual([2, ['third']])
  second?.()
  const fifth = await waiting[2]
  const free = places.allFree()
  third?.()
  fifth?.()
  ;(await late)?.()
  await free
  expect([places.taken, order]).toEqual([0, ['third', 'fifth']])
})

it('gives none to one that has gone before', async () => {
  const places = new Places(1)
  expect(await places.take(AbortSignal.abort())).toBeUndefined()
  expect(places.taken).toBe(0)
  await places.allFree()
})
