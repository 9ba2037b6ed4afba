// The parts of `npm run bench` that decide: whether an answer is right, and whether a ratio has moved.
import { describe, expect, it } from 'vitest'

const load = (file: string) => import(new URL(`../../bench/wire/${file}`, import.meta.url).href)
const { check } = await load('doors.mjs')
const { dialects } = await load('dialects.mjs')
const { writesOf } = await load('play.mjs')
const { workloads } = await load('workloads.mjs')
const { Figures, summarize } = await load('figures.mjs')
const { compareWith } = await load('baseline.mjs')
const { targetRows } = await load('targets.mjs')
const { withReport } = await load('document.mjs')

const answers = [
  ['chat', '/v1/chat/completions'],
  ['messages', '/v1/messages'],
] as const

function textOf(path: string, model: string): string {
  const writes: (Buffer | (() => Buffer))[] = writesOf(dialects[path], model, workloads[model])
  return Buffer.concat(writes.map((write) => (typeof write === 'function' ? write() : write))).toString()
}

describe('checking answers', () => {
  it.each(answers)('takes the whole answer of %s', (door, path) => {
    for (const model of ['w2', 'w3', 'w4c', 'wl'])
      expect(() => check(door, model, { status: 200, text: textOf(path, model) })).not.toThrow()
  })

  it.each(answers)('refuses an answer of %s in which something is missing', (door, path) => {
    for (const model of ['w2', 'w3', 'w4c', 'wl']) {
      const text = textOf(path, model)
      const events = text.split('\n\n')
      const without = [...events.slice(0, 5), ...events.slice(6)].join('\n\n')
      expect(() => check(door, model, { status: 200, text: without })).toThrow(model)
      expect(() => check(door, model, { status: 200, text: events.slice(0, -3).join('\n\n') })).toThrow(model)
      expect(() => check(door, model, { status: 500, text })).toThrow('status 500')
    }
  })
})

const pair = { name: 'chat-openai', door: 'chat', backend: 'openai' }

/** CPU time of our rounds; those of the raw pipe took 100 each. */
function figuresOf(...ours: number[]) {
  const record = (subject: string, rounds: number[]) => ({
    backend: 'openai',
    door: 'chat',
    model: 'w1',
    subject,
    ...summarize(rounds.map((cpuUs) => ({ cpuUs, firstUs: [], wordsUs: [], callsUs: [] }))),
  })
  return new Figures([
    record(
      'raw pipe',
      ours.map(() => 100),
    ),
    record('dragoman', ours),
  ])
}

const compare = (...ours: number[]) =>
  compareWith({ ratios: { 'chat-openai': { w1: 1.5 } }, date: 'then' }, figuresOf(...ours), [pair])

describe('the guard', () => {
  it('says what became slower, and what faster', () => {
    expect(compare(180, 181, 182)).toMatchObject({ worse: 1 })
    expect(compare(180, 181, 182).lines[1]).toBe(
      'worse  chat-openai W1: 1.50× → 1.81× (+21 %, rounds 1 % apart)',
    )
    expect(compare(120, 121, 122).lines[1]).toMatch(/^better chat-openai W1: 1\.50× → 1\.21× \(−19 %/)
    expect(compare(120, 121, 122)).toMatchObject({ worse: 0 })
  })

  it('keeps quiet about less than a tenth, and about less than the noise of the rounds', () => {
    expect(compare(160, 161, 162).lines).toHaveLength(1)
    expect(compare(150, 181, 200).lines).toHaveLength(1)
  })

  it('trusts a single round less', () => {
    expect(compare(181).lines).toHaveLength(1)
    expect(compare(200).lines).toHaveLength(2)
  })
})

describe('the report', () => {
  const record = (subject: string, door: string, cpuUs: number[]) => ({
    ...{ subject, door, backend: 'anthropic', model: 'w1' },
    ...summarize(
      cpuUs.map((cpu) => ({
        ...{ cpuUs: cpu, writes: 1, reads: 1, requests: 1, wrong: 0 },
        ...{ firstUs: [], wordsUs: [], callsUs: [] },
      })),
    ),
  })

  it('has a target for each kind of pair, and the rounds that are farthest apart', () => {
    const figures = new Figures([
      record('raw pipe', 'messages', [100, 100, 100]),
      record('dragoman', 'messages', [140, 120, 125]),
      record('dragoman', 'chat', [140, 120, 125]),
    ])
    const pairs = ['messages', 'chat'].map((door) => ({
      ...{ name: `${door}-anthropic`, door, backend: 'anthropic' },
    }))
    expect(targetRows(figures, pairs, [])).toEqual([
      ['W1', 'messages-anthropic', '1.30×', '1.25×', 'met'],
      ['W1', 'chat-anthropic', '1.50×', '1.25×', 'met'],
    ])
    expect(targetRows(figures, pairs, [{ backend: 'cursor', batch: 1, cpuUs: 2.5 }]).at(-1)).toEqual([
      ...['Cursor text delta, one at a time', 'in-process', '2.00 µs', '2.50 µs', 'MISSED'],
    ])
    expect(figures.ratio(pairs[0], 'dragoman', 'w1')).toMatchObject({ value: 1.25, least: 1.2, most: 1.4 })
  })

  it('takes the place of the one before in the document', () => {
    const marks = ['<!-- figures: written by `npm run bench -- --docs` -->', '<!-- end of the figures -->']
    const document = `before\n${marks[0]}\nold\n${marks[1]}\nafter\n`
    const first = withReport(document, 'Machine: x\n\n## Targets')
    expect(first).toBe(`before\n${marks[0]}\n\nMachine: x\n\n### Targets\n\n${marks[1]}\nafter\n`)
    expect(withReport(first, 'Machine: x\n\n## Targets')).toBe(first)
    expect(() => withReport('no marks', 'x')).toThrow(/lacks/)
  })
})
