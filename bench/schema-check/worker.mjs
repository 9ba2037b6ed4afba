// One measure in a process of its own: how long a checker takes to load, what it keeps in memory, or one hostile schema.
import { cpuMicroseconds, loaders } from './checkers.mjs'
import { hostile } from './hostile.mjs'
import { tools } from './tools.mjs'

const [subject, task, name] = process.argv.slice(2)

const tasks = {
  async load() {
    const before = process.cpuUsage()
    const prepare = await loaders[subject]()
    prepare({ type: 'object' })({})
    const { user, system } = process.cpuUsage(before)
    return { ms: (user + system) / 1_000 }
  },

  async memory() {
    const prepare = await loaders[subject]()
    const usual = tools.filter(({ schema }) => JSON.stringify(schema).length < 2_000)
    const copies = Array.from({ length: 500 }, (_, at) => {
      const { schema, input } = usual[at % usual.length]
      return { schema: JSON.parse(JSON.stringify({ ...schema, title: `tool ${at}` })), input }
    })
    prepare(tools[0].schema)(tools[0].input)
    gc()
    const before = process.memoryUsage().heapUsed
    const kept = copies.map(({ schema, input }) => {
      const judge = prepare(schema)
      judge(input)
      return judge
    })
    gc()
    return { bytes: process.memoryUsage().heapUsed - before, count: kept.length }
  },

  /** Before any other schema: nothing is optimised yet. */
  async 'hostile-cold'() {
    return judgeHostile(await loaders[subject]())
  },

  async hostile() {
    const prepare = await loaders[subject]()
    // A gateway has judged calls before.
    for (const { schema, input } of tools)
      for (let times = 0; times < (subject === 'ours' ? 300 : 5); times++) prepare(schema)(input)
    return judgeHostile(prepare)
  },
}

function judgeHostile(prepare) {
  const [schema, value] = hostile[name]
  let verdict
  const ms =
    cpuMicroseconds(() => {
      try {
        verdict = prepare(schema)(value)
      } catch (error) {
        verdict = `throws ${error.name}`
      }
    }) / 1_000
  return { ms, verdict }
}

process.stdout.write(JSON.stringify(await tasks[task]()))
