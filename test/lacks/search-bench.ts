// A gateway that may search the web: one search service simulated, and a model that only knows functions.

import { afterAll, afterEach, beforeAll } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { type SearchHit, type SearchSim, startSearchSim } from '../../sim/search.ts'
import { type Bench, type BenchOptions, startBench } from '../harness.ts'

export const searchKey = 'search-key-canary-1618033988'

export interface SearchBench extends Bench {
  search: SearchSim
}

export function useSearchBench({ settings = {}, ...options }: BenchOptions = {}): SearchBench {
  const bench = {} as SearchBench
  beforeAll(async () => {
    const search = await startSearchSim('tavily', { apiKey: searchKey })
    const lacks = { search: { service: 'tavily', baseUrl: search.url, apiKey: searchKey } }
    const started = await startBench({ ...options, settings: { lacks, ...settings } })
    Object.assign(bench, started, { search })
  })
  afterAll(async () => {
    await bench.close()
    await bench.search.close()
  })
  afterEach(() => {
    bench.anthropic.clear()
    bench.openai.clear()
    bench.search.clear()
    bench.logs.length = 0
  })
  return bench
}

export const hits: SearchHit[] = [
  {
    url: 'https://news.example/door',
    title: 'The door',
    text: 'The door opened in 2026.',
    age: '2026-11-01',
  },
  { url: 'https://other.example/', title: 'Other', text: 'Nothing of it.' },
]

export const searches = (query: string, ...more: Step[]): Step[] => [
  { call: { name: 'web_search', arguments: { query } } },
  ...more,
  { end: 'tool_calls' },
]
export const says = (text: string): Step[] => [{ say: text }, { end: 'stop' }]
