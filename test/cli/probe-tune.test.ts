// `probe MODEL --tune` on simulators: what it measures, what it writes, and that nothing else changes the file.

import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type OpenAISimOptions, startOpenAISim } from '../../sim/openai.ts'
import type { ProbeFlags } from '../../src/cli/probe-flags.ts'
import { tuneModel } from '../../src/cli/probe-tune.ts'
import type { Terminal } from '../../src/cli/setup-terminal.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { chooseTasks } from '../../src/judge/probe/tasks.ts'
import { atTestEnd } from '../at-end.ts'
import { isNightly } from '../depth.ts'
import { neverCalls, type Persona, perfect, startPersona } from '../probe/personas.ts'
import { Home, program } from './program.ts'

/** A configuration with comments, and the rest of the backend's settings as given. */
const configFor = (url: string, settings = '') => `// the configuration of a careful person
{
  "backends": {
    "box": {
      "kind": "openai", // under the desk
      "baseUrl": "${url}/v1",
      "apiKey": "sk-upstream-canary-2718281828"${settings === '' ? '' : `,\n      ${settings}`}
    }, // the only one
  },
}
`

async function homeFor(options: OpenAISimOptions, settings?: string) {
  const sim = await startOpenAISim({ models: ['gpt-demo'], lenient: true, ...options })
  atTestEnd(() => sim.close())
  return { sim, ...homeAt(sim.url, settings) }
}

function homeAt(url: string, settings?: string) {
  const home = new Home()
  const before = configFor(url, settings)
  const config = home.write('config.jsonc', before)
  const run = (...args: string[]) =>
    home.run(['probe', 'box/gpt-demo', '--tune', '--only', 'single,types', ...args, '--config', config])
  return { home, config, before, now: () => readFileSync(config, 'utf8'), run }
}

/** The tasks get no call at all by the service's own tool calls. */
const brokenCalls: OpenAISimOptions = { quirks: ['tool-calls-without-calls'] }

describe('where native calls are broken', () => {
  it.runIf(isNightly)(
    'text is better: it is written, with the comments, and undone to the byte',
    async () => {
      const { home, before, now, run, sim } = await homeFor(brokenCalls)
      const { code, stdout, stderr } = await run('--yes', '--json', 'tune.json')
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Written.') })
      expect(stdout).toMatch(/^ {2}\* 100\.0 {2}text, as JSON/m)
      expect(stdout).toMatch(/^ {4} {2}.*native \(now\)/m)
      expect(stdout).toContain('+       "tools": "text"\n')
      // The diff shows no secret.
      expect(stdout).not.toContain('canary')
      expect(now()).toBe(before.replace('2718281828"\n', '2718281828",\n      "tools": "text"\n'))
      expect(stderr).toContain(
        '"tools": a setting of the whole backend "box", which serves this model alone.',
      )
      const report = JSON.parse(readFileSync(home.path('work', 'tune.json'), 'utf8'))
      expect(report).toMatchObject({
        tune: 1,
        model: 'box/gpt-demo',
        backend: 'box',
        state: 'complete',
        score: 100,
        changes: [{ path: ['tools'], value: 'text' }],
        isWritten: true,
      })
      const requests = sim.requests.length
      const undone = await run('--undo')
      expect({ code: undone.code, stderr: undone.stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining('is restored.'),
      })
      expect(now()).toBe(before)
      expect(sim.requests).toHaveLength(requests)
      expect((await run('--undo')).stderr).toContain('no tune of box/gpt-demo was written.')
    },
  )

  it.runIf(isNightly)('what was edited since stays when it is undone', async () => {
    const { config, before, now, run } = await homeFor(brokenCalls)
    await run('--yes')
    writeFileSync(config, now().replace('// under the desk', '// on the desk'))
    const { code, stderr } = await run('--undo', '--yes')
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('was changed since') })
    expect(now()).toBe(before.replace('// under the desk', '// on the desk'))
  })

  it('nothing is written without consent', async () => {
    const { before, now, run } = await homeFor(brokenCalls)
    const silent = await run()
    expect({ code: silent.code, now: now() }).toEqual({ code: 2, now: before })
    expect(silent.stderr).toContain('Nothing was written: there is no terminal to ask on.')
    const printed = await run('--print')
    expect({ code: printed.code, now: now() }).toEqual({ code: 0, now: before })
    expect(printed.stdout).toContain('"tools": "text"')
  })

  it.runIf(isNightly)('other models of the backend are named, and asked about', async () => {
    const { before, config, home, now } = await homeFor({ ...brokenCalls, models: ['gpt-demo', 'gpt-5'] })
    const refused = await ask(home, config, 'n')
    expect(refused.error).toBe('Nothing was written.')
    expect(refused.said).toContain('It changes another model too, not measured here: gpt-5.')
    expect(refused.said).toContain('Write this, for all models of "box"? [y/N] ')
    expect(now()).toBe(before)
    const agreed = await ask(home, config, 'y')
    expect(agreed.error).toBeUndefined()
    expect(now()).toContain('"tools": "text"')
  })

  it.runIf(isNightly)('the format of one model is a row for that model', async () => {
    const patterns = '"tools": "text",\n      "toolText": { "formats": { "*": "xml" } }'
    const { before, now, run } = await homeFor(brokenCalls, patterns)
    const { stdout, stderr } = await run('--yes')
    expect(now()).toBe(before.replace('{ "*": "xml" }', '{ "gpt-demo": "json", "*": "xml" }'))
    expect(stdout).toMatch(/-\s+text, as XML \(now\)\s+not measured: it could not change the choice/)
    expect(stderr).toContain('The row in "formats" is for "gpt-demo" alone.')
  })
})

describe('where native calls work', () => {
  it('the file stays, and nothing else is measured', async () => {
    const { before, now, run, sim } = await homeFor({})
    const { code, stdout } = await run('--yes')
    expect({ code, now: now() }).toEqual({ code: 0, now: before })
    expect(stdout).toContain('No other setting is better: the configuration stays as it is (100.0 of 100).')
    expect(stdout).toMatch(/-\s+text, as JSON\s+not measured/)
    const asked = sim.requests.filter(({ method }) => method === 'POST')
    expect(asked).toHaveLength(14)
  })

  it('they are taken instead of text, whose settings go', async () => {
    const { before, now, run } = await homeFor(
      {},
      '"tools": "text", // once needed\n      "toolText": { "format": "xml" } // too',
    )
    expect((await run('--yes')).code).toBe(0)
    expect(now()).toBe(
      before
        .replace('"tools": "text",', '"tools": "native"')
        .replace('      "toolText": { "format": "xml" } // too\n', ''),
    )
    expect((await run('--undo')).code).toBe(0)
    expect(now()).toBe(before)
  })
})

describe('the check of calls', () => {
  it('is switched on for a model that misspells them', async () => {
    const off = '"calls": { "check": "off" }'
    const { before, now, run } = await homeFor({ quirks: ['careless-calls'] }, off)
    const { stdout } = await run('--yes', '--only', 'types')
    expect(stdout).toMatch(/^ {2}\* 100\.0 {2}native \(now\)/m)
    expect(stdout).toMatch(/^ {2}\* 100\.0 {2}call checking not set/m)
    expect(now()).toBe(before.replace(`,\n      ${off}`, ''))
  })
})

describe('what ends it', () => {
  it.runIf(isNightly)('a budget that does not reach: nothing is proposed', async () => {
    const { before, now, run } = await homeFor(brokenCalls)
    const { code, stdout, stderr } = await run('--budget', '900', '--yes')
    expect({ code, now: now() }).toEqual({ code: 2, now: before })
    expect(stdout).toContain('PARTIAL: the budget of 900 tokens does not cover the next request')
    expect(stderr).toContain('The tune has no result.')
  })

  it.runIf(isNightly)('a service that is down', async () => {
    const { before, now, run } = homeAt('http://127.0.0.1:9')
    const { code, stderr } = await run('--yes')
    expect({ code, now: now() }).toEqual({ code: 2, now: before })
    expect(stderr).toMatch(/The tune could not run\. .*ECONNREFUSED/)
  })

  it('a combination that cannot change the choice is ended early', async () => {
    const { run } = homeAt((await startPersona(onlyNative)).url)
    const { stdout } = await run('--yes', '--only', 'single,types,no-call')
    expect(stdout).toMatch(/text, as JSON\s+ended after \d of 10, at most/)
    expect(stdout).toContain('No other setting is better')
  })

  it.runIf(isNightly)('Ctrl-C leaves the file as it is', async () => {
    let onHang: () => void = () => undefined
    const hanging = new Promise<void>((resolve) => {
      onHang = resolve
    })
    const hangs: Persona = (situation) => {
      if (situation.task.id !== 'single.convert') return perfect(situation)
      onHang()
      return [{ wait: 60_000 }]
    }
    const { home, config, before, now } = homeAt((await startPersona(hangs)).url)
    const child = spawn(
      process.execPath,
      [program, 'probe', 'box/gpt-demo', '--tune', '--yes', '--config', config],
      {
        cwd: home.path('work'),
        env: { PATH: process.env.PATH ?? '', ...home.env },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text
    })
    const ended = new Promise((resolve) => child.once('close', resolve))
    await hanging
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(stderr).toContain('Interrupted: the configuration stays as it is.')
    expect(now()).toBe(before)
  })
})

describe('what cannot be tuned says why, before anything is sent', () => {
  it.each([
    [['--url', 'http://127.0.0.1:1'], /leave out --url/],
    [['--html', 'a.html'], /--html is for the score card/],
    [['--min', '50'], /--min is for the score card/],
    [['--undo', '--print'], /cannot be combined/],
  ])('%j', async (args, says) => {
    const { code, stderr } = await homeAt('http://127.0.0.1:9').run(...args)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(says) })
  })

  it('--print and --undo without --tune', async () => {
    for (const flag of ['--print', '--undo']) {
      const { code, stderr } = await new Home().run(['probe', 'box/m', flag])
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('belongs to --tune') })
    }
  })

  it('a file in which a setting stands twice', async () => {
    const { code, stderr } = await (await homeFor({}, '"tools": "native",\n      "tools": "native"')).run(
      '--yes',
    )
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('cannot be tuned: "backends.box.tools" stands there twice'),
    })
  })
})

/** Good with the service's own tool calls; with tools in the prompt it never calls. */
const onlyNative: Persona = (situation) =>
  (situation.request.body as { tools?: unknown }).tools === undefined
    ? neverCalls(situation)
    : withOneMistake(situation)

const withOneMistake: Persona = (situation) =>
  situation.task.id === 'no-call.unfit' ? { text: '' } : perfect(situation)

/** As the program does it, at a terminal on which someone answers. */
async function ask(home: Home, config: string, answer: string) {
  let said = ''
  const terminal: Terminal = {
    interactive: true,
    ask: async (question) => {
      said += question
      return answer
    },
    askSecret: (question) => terminal.ask(question),
    out: (text) => {
      said += text
    },
    err: (text) => {
      said += text
    },
  }
  const flags: ProbeFlags = {
    ...{ config, door: 'chat', stream: true, repeat: 1, concurrency: 1, timeout: 20, min: 0, tune: true },
  }
  const chosen = chooseTasks(['single', 'types'])
  const tasks = 'tasks' in chosen ? chosen.tasks : []
  const environment = readEnvironment({ ...home.env })
  const error = await tuneModel('box/gpt-demo', {
    flags,
    tasks,
    prices: undefined,
    environment,
    terminal,
  }).then(
    () => undefined,
    (thrown: Error) => thrown.message,
  )
  return { said, error }
}
