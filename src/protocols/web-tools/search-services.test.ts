// Domains as clients name them: what is searched, and which pages may be shown and fetched.

import { expect, it } from 'vitest'
import { isAllowedAddress, searchService } from './search-services.ts'

it.each([
  ['example.com', 'https://example.com/a', true],
  ['example.com', 'https://docs.example.com/a', true],
  ['example.com', 'https://notexample.com/a', false],
  ['docs.example.com', 'https://example.com/a', false],
  ['https://example.com', 'https://example.com/a', true],
  ['Example.COM', 'https://example.com/a', true],
  ['example.com', 'https://example.com./a', true],
  ['example.com.', 'https://example.com/a', true],
  ['example.com', 'https://example.com../a', false],
  ['münchen.example', 'https://münchen.example/', true],
  ['example.com/blog', 'https://example.com/blog/post-1', true],
  ['example.com/blog', 'https://example.com/', false],
  ['example.com/blog', 'https://example.com/%62log/%ff', true],
  ['example.com/%2A/a', 'https://example.com/b/a', false],
  ['example.com/straße', 'https://example.com/straße/1', true],
  ['example.com/*', 'https://example.com/', true],
  ['example.com/*', 'https://example.com/a/b?c', true],
  ['example.com/*', 'https://docs.example.com/a', true],
  ['example.com/*', 'https://other.example/a', false],
  ['example.com/*/articles', 'https://example.com/en/articles/1', true],
  ['example.com/*/articles', 'https://example.com/a/b/articles', true],
  ['example.com/*/articles', 'https://example.com/articles', false],
  ['example.com/*/articles', 'https://example.com/en?/articles', false],
  ['example.com/a*/b*/c', 'https://example.com/a1/b2/c', true],
  ['example.com/a*/b*/c', 'https://example.com/a1/c/b2', false],
])('%s: %s is one of it: %s', (domain, url, isOfIt) => {
  expect(isAllowedAddress(url, [domain], undefined)).toBe(isOfIt)
  expect(isAllowedAddress(url, undefined, [domain])).toBe(!isOfIt)
})

const paths = ['example.com/*', 'example.org/*/articles', 'https://example.net/blog/*', 'example.edu/blog']

it.each(['searxng', 'brave'] as const)('%s is asked for what comes before a wildcard', (name) => {
  const { path } = searchService(name).request({ query: 'x', count: 3, allowed: paths }, 'key')
  expect(new URL(path, 'http://any.example').searchParams.get('q')).toBe(
    'x (site:example.com OR site:example.org OR site:example.net/blog OR site:example.edu/blog)',
  )
})

it('tavily too, and leaves out no more than what is blocked', () => {
  const request = searchService('tavily').request(
    { query: 'x', count: 3, allowed: paths, blocked: paths },
    'key',
  )
  expect(JSON.parse(request.body ?? '')).toMatchObject({
    include_domains: ['example.com', 'example.org', 'example.net/blog', 'example.edu/blog'],
    exclude_domains: ['example.edu/blog'],
  })
})
