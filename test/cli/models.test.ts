// `dragoman models`: lists the available models, even if some backends fail.

import { beforeAll, describe, expect, it } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import { atEnd, deadPort, Home, stackTrace } from './program.ts'

const home = new Home()
const key = 'sk-models-canary-161803'
let good: string
let half: string
let dead: string

beforeAll(async () => {
  const anthropic = await startAnthropicSim({ apiKey: key })
  const openai = await startOpenAISim({ apiKey: key, models: ['small', 'large'] })
  atEnd(() => Promise.all([anthropic.close(), openai.close()]))
  const claude = { kind: 'anthropic', baseUrl: anthropic.url, apiKey: key }
  const box = { kind: 'openai', baseUrl: `${openai.url}/v1`, apiKey: key }
  const gone = { kind: 'openai', baseUrl: `http://127.0.0.1:${await deadPort()}/v1`, apiKey: key }
  good = home.write('good.jsonc', {
    backends: { claude, box },
    models: { fast: 'box/small', rows: [{ when: { images: true }, use: 'box/large' }, 'box/small'] },
  })
  half = home.write('half.jsonc', {
    backends: { box, gone, refused: { ...box, apiKey: 'wrong-canary-key' } },
  })
  dead = home.write('dead.jsonc', { backends: { gone } })
})

describe.concurrent('as lines', () => {
  it('lists every model and alias, with sizes if known', async () => {
    const { code, stdout, stderr } = await home.run(['models', '--config', good])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const names = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ', 1)[0])
    expect(names).toEqual(expect.arrayContaining(['fast', 'box/small', 'box/large']))
    expect(stdout).toMatch(/^rows → if images true: box\/large; otherwise box\/small$/m)
    expect(stdout).toMatch(/^claude\/\S+ {2}\(context \d+, output \d+\)$/m)
  })

  it('a failed backend is reported on stderr, and the others are listed', async () => {
    const { code, stdout, stderr, output } = await home.run(['models', '--config', half])
    expect(code).toBe(0)
    expect(stdout.trim().split('\n')).toEqual(['box/small', 'box/large'])
    expect(stderr).toMatch(/^gone: models could not be listed: 127\.0\.0\.1:\d+ .*ECONNREFUSED.*baseUrl/m)
    expect(stderr).toMatch(/^refused: models could not be listed: the credential .* environment variable\.$/m)
    expect(output).not.toContain('canary')
  })

  it('nothing at all is a failure', async () => {
    const { code, stdout, stderr } = await home.run(['models', '--config', dead])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('gone')
    expect(stderr).not.toMatch(stackTrace)
  })
})

describe.concurrent('as JSON', () => {
  it('is one object with models and failures', async () => {
    const { code, stdout, stderr } = await home.run(['models', '--json', '--config', half])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { models, failed } = JSON.parse(stdout)
    expect(models.map(({ id }: { id: string }) => id)).toEqual(['box/small', 'box/large'])
    expect(failed.map(({ backend }: { backend: string }) => backend)).toEqual(['gone', 'refused'])
    expect(stdout).not.toContain('canary')
  })

  it('also when nothing can be listed', async () => {
    const { code, stdout } = await home.run(['models', '--json', '--config', dead])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ models: [], failed: [{ backend: 'gone' }] })
  })
})
