// The tasks: ideal answers pass, and others fail.

import { describe, expect, it } from 'vitest'
import { schemaProblem } from '../../src/judge/probe/schema-check.ts'
import {
  type Fault,
  groupOf,
  type MadeCall,
  needsCalls,
  type Task,
  type Transcript,
} from '../../src/judge/probe/task.ts'
import { allTasks, chooseTasks, groups } from '../../src/judge/probe/tasks.ts'

function play(task: Task): Transcript {
  const calls: MadeCall[] = []
  for (const [turn, step] of task.ideal.entries())
    for (const [name, input] of step.calls ?? [])
      calls.push({ name, input, turn, reply: task.reply({ name, input }, [...calls]) })
  return { calls, turns: task.ideal.length, text: task.ideal.at(-1)?.text ?? '' }
}

function judge({ judge: checks }: Task, seen: Transcript): Fault | undefined {
  for (const check of checks) {
    const fault = check(seen)
    if (fault) return fault
  }
  return undefined
}

const cases = allTasks.map((task) => [task.id, task] as const)

describe('every task', () => {
  it.each(cases)('%s: the ideal passes', (_id, task) => {
    expect(judge(task, play(task))).toBeUndefined()
  })

  it.each(cases)('%s: the ideal answer calls offered tools with valid arguments', (_id, task) => {
    for (const [name, input] of task.ideal.flatMap(({ calls = [] }) => calls)) {
      const tool = task.tools.find((entry) => entry.name === name)
      expect(tool && schemaProblem(input, tool.schema)).toBeUndefined()
      expect(tool).toBeDefined()
    }
  })

  it.each(cases.filter(([, task]) => needsCalls(task)))('%s: words alone do not pass', (_id, task) => {
    const fault = judge(task, { calls: [], turns: 1, text: task.ideal.at(-1)?.text ?? '' })
    expect(fault?.came).toMatch(/^no call/)
  })

  it.each(cases.filter(([, task]) => !needsCalls(task)))('%s: a call does not pass', (_id, task) => {
    const [tool] = task.tools
    const calls = [{ name: tool?.name ?? '', input: {}, turn: 0, reply: '' }]
    expect(judge(task, { ...play(task), calls })?.expected).toBe('an answer without a tool call')
  })
})

describe('the set', () => {
  it('has unique ids, in their groups', () => {
    expect(new Set(allTasks.map(({ id }) => id)).size).toBe(allTasks.length)
    for (const { name, tasks } of groups) {
      expect(tasks.length).toBeGreaterThanOrEqual(2)
      expect(tasks.map(groupOf)).toEqual(tasks.map(() => name))
    }
  })

  it('goes beyond ASCII in one group only', () => {
    const beyond = allTasks.filter((task) => /\P{ASCII}/u.test(JSON.stringify([task.messages, task.ideal])))
    expect(new Set(beyond.map(groupOf))).toEqual(new Set(['unicode']))
  })

  it('has texts and results as big as their names say', () => {
    const sizeOf = (id: string) => {
      const task = allTasks.find((entry) => entry.id === id) as Task
      const [[name, input] = ['', {}]] = task.ideal[0]?.calls ?? []
      return [String(input.content ?? '').length, String(task.reply({ name, input }, [])).length]
    }
    expect(sizeOf('big-arguments.8-kb')[0]).toBeGreaterThan(8_000)
    expect(sizeOf('big-arguments.30-kb')[0]).toBeGreaterThan(30_000)
    expect(sizeOf('big-results.needle')[1]).toBeGreaterThan(50_000)
  })
})

describe('judges', () => {
  const by = (id: string) => allTasks.find((task) => task.id === id) as Task
  const made = (name: string, input: MadeCall['input'], turn = 0): MadeCall => ({
    name,
    input,
    turn,
    reply: 'ok',
  })

  it('say where a text differs', () => {
    const task = by('code.python')
    const good = play(task)
    const [call] = good.calls
    const content = String(call?.input.content).replace(String.raw`\\n`, '\n')
    expect(judge(task, { ...good, calls: [made('write_file', { path: 'count.py', content })] })).toEqual({
      expected: expect.stringMatching(
        /^the text to the byte: 664 characters; at character 622 \(line 21\) "\\\\\\\\n/,
      ),
      came: expect.stringMatching(/^662 characters; there it has "\\n/),
    })
  })

  it('forgive a line break at the end, and thousands that are set apart', () => {
    const task = by('code.json')
    const [call] = play(task).calls
    const content = String(call?.input.content).trimEnd()
    expect(
      judge(task, { ...play(task), calls: [made('write_file', { path: './crate.json', content })] }),
    ).toBeUndefined()
    const figures = by('uses-result.figures')
    for (const text of ['48,317 EUR from 1,204 orders', '48 317 and 1 204', "48'317 and 1'204"])
      expect(judge(figures, { ...play(figures), text })).toBeUndefined()
  })

  it('see a call that came before what it needs', () => {
    const task = by('steps.files')
    const calls = play(task).calls.map((entry) => ({ ...entry, turn: 0 }))
    expect(judge(task, { ...play(task), calls })?.came).toBe('it was called before that result was there')
  })

  it('see one call too many', () => {
    const task = by('single.weather')
    const calls = [made('get_weather', { city: 'Oslo' }), made('get_weather', { city: 'Oslo' }, 1)]
    expect(judge(task, { ...play(task), calls })).toEqual({
      expected: 'one call and no more',
      came: 'also get_weather({"city":"Oslo"})',
    })
  })
})

describe('schemaProblem', () => {
  const { schema } = groups.find(({ name }) => name === 'types')?.tasks[3]?.tools[0] ?? { schema: {} }
  const good = {
    customer: { name: 'A', address: { street: 'B', city: 'C', postcode: '1' } },
    items: [{ sku: 'x', quantity: 1, gift: false }],
    payment: 'card',
  }
  it.each([
    [good, undefined],
    [{ ...good, payment: 'gold' }, 'arguments.payment must be one of "invoice", "card", "cash", not "gold"'],
    [{ ...good, items: [] }, 'arguments.items needs at least 1 items'],
    [
      { ...good, items: [{ sku: 'x', quantity: 1.5, gift: false }] },
      'arguments.items[0].quantity must be of type integer, not 1.5',
    ],
    [
      { ...good, items: [{ sku: 'x', quantity: 0, gift: false }] },
      'arguments.items[0].quantity must be at least 1, not 0',
    ],
    [
      { ...good, items: [{ sku: 'x', quantity: '2', gift: false }] },
      'arguments.items[0].quantity must be of type integer, not "2"',
    ],
    [{ ...good, more: 1 }, 'arguments.more is not in the schema'],
    [{ ...good, customer: 'A' }, 'arguments.customer must be of type object, not "A"'],
    [{ ...good, customer: { name: 'A' } }, 'arguments.customer.address is missing'],
    [{ ...good, __proto__: null, customer: null }, 'arguments.customer must be of type object, not null'],
  ])('%j: %s', (value, problem) => {
    expect(schemaProblem(value, schema)).toBe(problem)
  })
})

describe('chooseTasks', () => {
  it('takes groups and ids together', () => {
    const chosen = chooseTasks(['single', 'steps.clues'])
    expect('tasks' in chosen && chosen.tasks.map(({ id }) => id)).toEqual([
      'single.weather',
      'single.read',
      'single.convert',
      'steps.clues',
    ])
  })

  it.each([
    ['paralel', 'There is no task or group "paralel". Did you mean parallel'],
    ['zzzzzzzz', 'The groups are single, no-arguments,'],
  ])('%s: names what is near', (name, problem) => {
    expect(chooseTasks([name])).toEqual({ problem: expect.stringContaining(problem) })
  })
})
