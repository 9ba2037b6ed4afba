// `npm run test:plugin`: OpenCode's own binary with the plugin from the packed tarball, offline, against the simulator of
// Cursor. Not part of `npm test`: it needs that binary, and minutes.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startTextSim } from '../../build/sim/text-chat.js'
import { entrySteps } from './entries.mjs'
import { imageSteps } from './images.mjs'
import { findOpenCode, installPacked, startSim, Workplace } from './workplace.mjs'

const say = (text) => process.stdout.write(`${text}\n`)
const binary = findOpenCode()
if (!binary) {
  say('SKIPPED: there is no OpenCode here. Put it on PATH, or name it in OPENCODE_BIN.')
  process.exit(process.env.CI ? 1 : 0)
}

/** Once with the network to install, then again without it. */
const [installed] = process.argv.slice(2)
const only = process.env.ONLY
if (!installed) {
  const packed = installPacked()
  const script = fileURLToPath(import.meta.url)
  const alone = ['unshare', '-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
  const canBeAlone = spawnSync(alone[0], [...alone.slice(1), 'true']).status === 0
  if (!canBeAlone) say('note: no network namespaces here, so nothing shows that it works offline')
  const [command, ...args] = [...(canBeAlone ? alone : []), process.execPath, script, packed.plugin]
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  packed.remove()
  process.exit(status ?? 1)
}

const sim = await startSim({ tokenSeconds: 3600 })
const cursor = { baseUrl: sim.url, websiteUrl: sim.url }
const plugin = [[`file://${installed}`, { cursor, config: false }]]
const place = new Workplace({ binary, plugin })
const window = (prompt, { model = 'composer-2', ...options } = {}) =>
  place.opencode(['run', '-m', `dragoman-cursor/${model}`, prompt], options)
const listed = async () =>
  (await place.opencode(['models'])).text.split('\n').filter((line) => line.startsWith('dragoman'))
const credentials = () => JSON.parse(readFileSync(join(place.data, 'opencode/auth.json'), 'utf8'))

async function until(check) {
  for (let tries = 0; tries < 150; tries++) {
    const found = await check()
    if (found) return found
    await sleep(200)
  }
  return undefined
}

const playSlowly = () =>
  sim.tell('play', JSON.stringify({ when: { text: 'slowly' }, steps: [{ say: 'Begun.' }, { wait: 60_000 }] }))

/** The model says something, and nothing more. */
async function begun() {
  const { queued } = await sim.tell('state')
  assert.ok(queued === 0 || (await until(async () => (await sim.tell('state')).queued === 0)), 'never asked')
  await sleep(500)
}

async function allRunsEnded() {
  assert.ok(await until(async () => (await sim.tell('state')).open === 0), 'a run is still open upstream')
}

const steps = {
  ...entrySteps({ binary, installed, sim }),
  ...imageSteps({ binary, installed }),

  async 'nothing is shown without a credential'() {
    assert.deepEqual(await listed(), [])
  },

  async 'login with an API key'() {
    let typed = false
    const { text } = await place.opencode(
      ['auth', 'login', '-p', 'dragoman-cursor', '-m', 'Cursor API key'],
      {
        terminal: true,
        onText(text, { type }) {
          if (typed || !text.includes('Enter your API key')) return
          typed = true
          type('crsr_typed_by_hand\r')
        },
      },
    )
    assert.match(text, /Done/)
    assert.equal(credentials()['dragoman-cursor'].key, 'crsr_typed_by_hand')
    assert.ok((await listed()).includes('dragoman-cursor/composer-2'))
    assert.match((await window('Read hello.txt')).text, /begins: MAGIC-TOKEN-4711/)
  },

  async 'login by browser'() {
    await place.opencode(['auth', 'logout', 'dragoman-cursor'])
    assert.deepEqual(await listed(), [])
    let opened = false
    await place.opencode(['auth', 'login', '-p', 'dragoman-cursor', '-m', 'Cursor account (browser)'], {
      onText(text) {
        const [address] = /http:\S+loginDeepControl\S+/.exec(text) ?? []
        if (opened || !address) return
        opened = true
        // What the user does in the browser.
        fetch(`${address}&auto=1`)
      },
    })
    const { type, access } = credentials()['dragoman-cursor']
    assert.deepEqual([type, access], ['oauth', 'kept by dragoman'])
  },

  async "a stranger's repository gets no credential"() {
    const before = (await sim.tell('state')).requests
    place.write('opencode.json', JSON.stringify({ plugin: [[`file://${installed}`, { cursor }]] }))
    const { text } = await place.opencode(['models', '--print-logs'])
    assert.doesNotMatch(text, /^dragoman-cursor/m)
    assert.match(text, /A project must not say where your credentials go/)
    assert.equal((await sim.tell('state')).requests, before)
    place.forget('opencode.json')
    assert.ok((await listed()).includes('dragoman-cursor/composer-2'))
  },

  /** What its screen does for /connect, and for the list of models after it. */
  async 'login on the screen, without a new start'() {
    await place.opencode(['auth', 'logout', 'dragoman-cursor'])
    const { ask, get, stop } = await place.serve()
    const connected = async () => (await get('config/providers')).providers.map((provider) => provider.id)
    assert.ok(!(await connected()).includes('dragoman-cursor'))
    const { url } = JSON.parse(await ask('provider/dragoman-cursor/oauth/authorize', { method: 0 }))
    await fetch(`${url}&auto=1`)
    assert.equal(await ask('provider/dragoman-cursor/oauth/callback', { method: 0 }), 'true')
    await ask('instance/dispose', {})
    assert.ok((await connected()).includes('dragoman-cursor'))
    stop()
  },

  async models() {
    const { text } = await place.opencode(['models', '--verbose'])
    for (const model of ['composer-2', 'default', 'claude-4.5-sonnet-thinking', 'gpt-5.2-high'])
      assert.ok(text.includes(`dragoman-cursor/${model}\n`), model)
    const composer = JSON.parse(/dragoman-cursor\/composer-2\n(\{.*?\n\})/s.exec(text)[1])
    assert.equal(composer.name, 'Composer 2')
    assert.equal(composer.limit.context, 200_000)
    assert.equal(composer.capabilities.toolcall, true)
    assert.equal(composer.capabilities.input.image, true)
    const thinking = JSON.parse(/dragoman-cursor\/claude-4.5-sonnet-thinking\n(\{.*?\n\})/s.exec(text)[1])
    assert.equal(thinking.capabilities.reasoning, true)
  },

  async 'an edit in several steps'() {
    const { text } = await window('Read hello.txt, then write edited-once to new.txt, then run `cat new.txt`')
    assert.match(text, /printed: edited-once/)
    assert.equal(place.read('new.txt'), 'edited-once')
  },

  /** In place of its tools for edits, OpenCode gives some models only this one. */
  async 'an edit by apply_patch'() {
    const write = { path: join(place.project, 'patch.txt'), fileText: 'patched\n' }
    const steps = [{ exec: { write } }, { await: 'results' }, { say: 'Patched.' }]
    await sim.tell('play', JSON.stringify({ when: { text: 'patchit' }, steps }))
    const model = 'dragoman-cursor/gpt-5.2-high'
    const { text } = await place.opencode(['run', '-m', model, '--format', 'json', 'patchit'])
    assert.match(text, /"tool":"apply_patch"/)
    assert.match(text, /Patched\./)
    assert.equal(place.read('patch.txt'), 'patched\n')
  },

  async 'a cancel by Ctrl-C'() {
    await playSlowly()
    let stop
    const asked = window('slowly', {
      seconds: 60,
      onStart({ interrupt }) {
        stop = interrupt
      },
    })
    await begun()
    stop()
    await asked
    await allRunsEnded()
  },

  async 'a cancel on the screen, after which the session goes on'() {
    const { ask, stop } = await place.serve()
    const model = { providerID: 'dragoman-cursor', modelID: 'composer-2' }
    const prompt = (text) => ({ model, parts: [{ type: 'text', text }] })
    const { id } = JSON.parse(await ask('session', {}))
    await playSlowly()
    await ask(`session/${id}/prompt_async`, prompt('slowly'))
    await begun()
    await ask(`session/${id}/abort`, {})
    await allRunsEnded()
    assert.match(await ask(`session/${id}/message`, prompt('Read hello.txt')), /begins: MAGIC-TOKEN-4711/)
    stop()
  },

  async 'a token that expires in the middle'() {
    const { refreshes } = await sim.tell('state')
    const asked = window('Run `sleep 6`, then write renewed to late.txt, then run `cat late.txt`')
    await sleep(6_000)
    await sim.tell('expire')
    assert.match((await asked).text, /printed: renewed/)
    assert.equal(place.read('late.txt'), 'renewed')
    assert.equal((await sim.tell('state')).refreshes, refreshes + 1)
  },

  async 'two windows at once, both with a token that has expired'() {
    await sim.tell('expire')
    const { refreshes } = await sim.tell('state')
    const [one, two] = await Promise.all([
      window('Read hello.txt, then write first to one.txt, then run `cat one.txt`'),
      window('Read hello.txt, then write second to two.txt, then run `cat two.txt`'),
    ])
    assert.match(one.text, /printed: first/)
    assert.match(two.text, /printed: second/)
    assert.equal((await sim.tell('state')).refreshes, refreshes + 1)
  },

  /** What its prompts ask is kept with the key. */
  async 'login to an OpenAI-compatible server, whose model knows no tools'() {
    const server = await startTextSim()
    const answers = [
      ['Address of the server', `${server.url}/v1\r`],
      ['Does the model do tool calls?', '\x1b[B\r'],
      ['Enter your API key', 'none\r'],
    ]
    await place.opencode(['auth', 'login', '-p', 'dragoman-openai', '-m', 'OpenAI-compatible server'], {
      terminal: true,
      onText(text, { type }) {
        if (answers.length > 0 && text.includes(answers[0][0])) type(answers.shift()[1])
      },
    })
    assert.deepEqual(credentials()['dragoman-openai'].metadata, {
      baseUrl: `${server.url}/v1`,
      tools: 'text',
    })
    const model = (await listed()).find((name) => name.startsWith('dragoman-openai/'))
    const { text } = await place.opencode(['run', '-m', model, 'Read hello.txt'])
    assert.match(text, /MAGIC-TOKEN-4711/)
    await server.close()
  },

  async 'a login that has ended says so'() {
    await sim.tell('expire')
    await sim.tell('revoke')
    const { text } = await window('Read hello.txt')
    assert.match(text, /the Cursor login has ended: .*; run `opencode auth login`/)
  },
}

place.write('hello.txt', 'MAGIC-TOKEN-4711\nsecond line\n')
let failed = 0
for (const [name, step] of Object.entries(steps)) {
  if (only && !name.includes(only) && !(name === 'login by browser' && !only.startsWith('entry'))) continue
  const began = Date.now()
  const problem = await step().catch((error) => error)
  if (problem) failed++
  say(
    `${problem ? 'FAIL' : 'ok  '} ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)${problem ? `\n${problem.stack}` : ''}`,
  )
}
const { violations, twice, http } = await sim.tell('state')
say(`runs went by: ${http.join(', ')}`)
if (violations.length > 0 || twice > 0) {
  failed++
  say(`FAIL the simulator saw: ${violations.join(' | ')}; ${twice} results came twice`)
}
sim.stop()
place.remove()
process.exit(failed === 0 ? 0 : 1)
