import { expect, it } from 'vitest'
import { readEnvironment } from './environment.ts'
import { parseConfig } from './load.ts'

const environment = readEnvironment({ HOME: '/nonexistent' })
const backends = {
  box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' },
  claude: { kind: 'anthropic', apiKey: 'sk-1' },
}
const models = { eyes: ['claude/opus', 'box/seeing'] }
const parse = (lacks: unknown) => parseConfig(JSON.stringify({ backends, models, lacks }), { environment })

it('images: a model that sees, and those without sight', () => {
  const { config } = parse({ images: { describedBy: 'eyes', models: ['box/blind', 'box/a/b'] } })
  expect(config.lacks.images).toEqual({ describedBy: 'eyes', models: ['box/blind', 'box/a/b'] })
})

it.each([
  [{ describedBy: 'eyes', models: ['bx/blind'] }, 'did you mean "box/…"?'],
  [{ describedBy: 'eyes', models: ['blind'] }, 'must be BACKEND/MODEL or BACKEND/*'],
  [{ describedBy: 'eyes', models: ['box/*'] }, 'box/seeing is one of the models without sight'],
  [{ describedBy: 'box/x', models: ['box/x'] }, 'box/x is one of the models without sight'],
  [{ models: ['box/x'] }, 'lacks.images.describedBy'],
])('images: %j is refused', (images, why) => {
  expect(() => parse({ images })).toThrow(why)
})

it('all of it is off without its section', () => {
  expect(parse({}).config.lacks).toEqual({})
})

it('search: the address of the service, and its key', () => {
  const { config, secrets } = parse({ search: { service: 'brave', apiKey: 'brave-key-123' }, fetch: {} })
  expect(config.lacks).toEqual({
    search: { service: 'brave', apiKey: 'brave-key-123', results: 8, models: [] },
    fetch: { bytes: 100_000, models: [] },
  })
  expect(secrets).toContain('brave-key-123')
})

it.each([
  [{ service: 'searxng' }, 'lacks.search.baseUrl: is required: the address of your SearXNG instance'],
  [{ service: 'tavily' }, 'lacks.search.apiKey: is required for this service'],
  [{ service: 'bing', apiKey: 'x' }, 'lacks.search.service'],
  [{ service: 'searxng', baseUrl: 'http://169.254.169.254' }, 'metadata address'],
  [{ service: 'searxng', baseUrl: 'http://user:word@x.test' }, 'must have no query'],
  [{ service: 'brave', apiKey: 'x', models: ['bix/*'] }, 'lacks.search.models: "bix/*" must be'],
  [{ service: 'brave', apiKey: 'x', results: 100 }, 'lacks.search.results'],
])('search: %j is refused', (search, why) => {
  expect(() => parse({ search })).toThrow(why)
})
