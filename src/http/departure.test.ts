import { describe, expect, it } from 'vitest'
import { Departure } from './departure.ts'

describe('Departure', () => {
  it('happens once', () => {
    const departure = new Departure()
    let told = 0
    departure.on(() => told++)
    expect(departure.happened).toBe(false)
    departure.happen()
    departure.happen()
    expect([departure.happened, told]).toEqual([true, 1])
  })

  it('is told at once where it has happened, and not to who does not listen any more', () => {
    const departure = new Departure()
    let told = 0
    departure.on(() => told++)()
    departure.happen()
    expect(told).toBe(0)
    departure.on(() => told++)()
    expect(told).toBe(1)
  })
})
