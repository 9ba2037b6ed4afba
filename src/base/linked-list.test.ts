import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Link, LinkedList } from './linked-list.ts'

describe('LinkedList', () => {
  it('has the same members in the same order as a set', () => {
    const steps = fc.array(fc.record({ removes: fc.boolean(), which: fc.nat(9) }), { maxLength: 60 })
    fc.assert(
      fc.property(steps, (all) => {
        const list = new LinkedList<number>()
        const links = Array.from({ length: 10 }, (_, which) => new Link(which))
        const set = new Set<number>()
        for (const { removes, which } of all) {
          const link = links[which] as Link<number>
          if (removes) expect(link.remove()).toBe(set.delete(which))
          else if (!set.has(which)) {
            list.add(link)
            set.add(which)
          }
          expect([...list]).toEqual([...set])
          expect(list.first?.value).toBe([...set][0])
        }
      }),
    )
  })

  it('lets a loop remove the value that it gets', () => {
    const list = new LinkedList<Link<string>[]>()
    const seen: number[] = []
    for (const count of [1, 2, 3]) list.add(new Link(Array.from({ length: count }, () => new Link(''))))
    for (const value of list) {
      seen.push(value.length)
      list.first?.remove()
    }
    expect(seen).toEqual([1, 2, 3])
    expect(list.first).toBeUndefined()
  })

  it('has links that refer to nothing once they are removed', () => {
    const list = new LinkedList<number>()
    const links = [1, 2, 3].map((value) => new Link(value))
    for (const link of links) list.add(link)
    links[1]?.remove()
    expect(links[1]).toMatchObject({ list: undefined, previous: undefined, next: undefined })
  })
})
