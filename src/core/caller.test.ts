import { describe, expect, it } from 'vitest'
import { type Caller, callerFromId, callerId, isSameCaller } from './caller.ts'

describe('the id of a caller', () => {
  it('is the name of its key, as earlier versions sent and stored it', () => {
    expect(callerId({ key: 'laptop' })).toBe('laptop')
    expect(callerId({ key: 'anonymous', session: 'ses_1' })).toBe('anonymous ses_1')
  })

  it.each<Caller>([
    { key: 'laptop' },
    { key: 'anonymous', session: 'ses_1' },
    { key: 'anonymous', session: 'with blanks %20' },
    { key: 'with blanks' },
    { key: '100% %20' },
    { key: 'a b', session: 'c d' },
  ])('is read back: %j', (caller) => {
    expect(callerFromId(callerId(caller))).toEqual(caller)
    expect(isSameCaller(callerFromId(callerId(caller)), caller)).toBe(true)
  })

  it('is never that of another caller', () => {
    const callers: Caller[] = [
      { key: 'a', session: 'b' },
      { key: 'a b' },
      { key: 'a%20b' },
      { key: 'a' },
      { key: 'a', session: '' },
    ]
    expect(new Set(callers.map(callerId)).size).toBe(callers.length)
    expect(callers.filter((one) => isSameCaller(one, { key: 'a' }))).toHaveLength(1)
  })
})
