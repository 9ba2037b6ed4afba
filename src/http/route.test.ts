import { describe, expect, it } from 'vitest'
import { type HttpRoute, RouteTable } from './route.ts'

const handle = () => undefined
const rows: HttpRoute<unknown>[] = [
  { method: 'GET', path: '/', html: true, handle },
  { method: 'GET', path: '/', handle },
  { method: 'GET', path: '/models/*', handle },
  { method: 'GET', path: '/responses/*', oneSegment: true, handle },
  { method: 'DELETE', path: '/responses/*', oneSegment: true, handle },
  { method: 'POST', path: '/internal', peer: true, handle },
  { method: 'GET', path: '/responses/*/items', oneSegment: true, handle },
  { method: 'GET', path: '/turns/*/parts/*', handle },
]
const table = new RouteTable(rows)
const find = (method: string, path: string, accept?: string) => {
  const found = table.find({ method, path, header: (name) => (name === 'accept' ? accept : undefined) })
  return found ? rows.indexOf(found) : undefined
}

describe('RouteTable', () => {
  it.each([
    ['GET', '/models/a/b', 2],
    ['GET', '/models/', undefined],
    ['GET', '/models', undefined],
    ['GET', '/responses/a', 3],
    ['DELETE', '/responses/a', 4],
    ['GET', '/responses/a/b', undefined],
    ['POST', '/responses/a', undefined],
    ['POST', '/internal', 5],
    ['GET', '/responses/a/items', 6],
    ['GET', '/responses//items', undefined],
    ['GET', '/responses/items', 3],
    ['GET', '/responses/a/b/items', undefined],
    ['GET', '/responses/a/items/', undefined],
    ['GET', '/turns/a/parts/1', 7],
    ['GET', '/turns//parts/1', undefined],
    ['GET', '/turns/a/parts/', undefined],
    ['GET', '/turns/a/b/parts/1', undefined],
    ['GET', '/turns/a/parts/1/2', undefined],
  ])('%s %s is row %s', (method, path, row) => {
    expect(find(method, path)).toBe(row)
  })

  it('shows a page only to a request that accepts HTML', () => {
    expect([find('GET', '/', 'text/html,*/*'), find('GET', '/', '*/*'), find('GET', '/')]).toEqual([0, 1, 1])
  })

  it('names the methods of a path, without those of other instances and pages', () => {
    expect(table.methodsOf('/responses/a')).toEqual(['GET', 'DELETE'])
    expect(table.methodsOf('/')).toEqual(['GET'])
    expect(table.methodsOf('/internal')).toEqual([])
  })
})
