import { describe, expect, it } from 'vitest'
import { StopSwitch } from './stop-switch.ts'

describe('StopSwitch', () => {
  it('tells everybody once, with the first reason', () => {
    const stopping = new StopSwitch()
    const told: unknown[] = []
    for (const name of ['a', 'b']) stopping.on((reason) => told.push([name, reason]))
    expect(stopping.stopped).toBe(false)
    stopping.stop('first')
    stopping.stop('second')
    expect(stopping.stopped).toBe(true)
    expect(told).toEqual([
      ['a', 'first'],
      ['b', 'first'],
    ])
  })

  it('tells whoever comes later at once, also where there is no reason', () => {
    const stopping = new StopSwitch()
    stopping.stop(undefined)
    const told: unknown[] = []
    const forget = stopping.on((reason) => told.push(reason))
    expect(told).toEqual([undefined])
    forget()
  })

  it('does not tell who has stopped listening, in the middle of telling neither', () => {
    const stopping = new StopSwitch()
    const told: string[] = []
    const forgetA = stopping.on(() => told.push('a'))
    stopping.on(() => {
      told.push('b')
      forgetC()
    })
    const forgetC = stopping.on(() => told.push('c'))
    forgetA()
    forgetA()
    stopping.stop('now')
    expect(told).toEqual(['b'])
  })
})
