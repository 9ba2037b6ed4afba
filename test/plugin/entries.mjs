// Each way to name the plugin in OpenCode 1: it loads, its provider answers, and no complaint is in the log.

import assert from 'node:assert/strict'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startSim, Workplace } from './workplace.mjs'

/** `setup` is called in these two, after `server`, and must have done nothing. */
const noted = (module) => `
  import { appendFileSync } from 'node:fs'
  import plugin from ${JSON.stringify(module)}
  export default {
    ...plugin,
    async setup(context) {
      appendFileSync('setup.txt', [await plugin.setup(context), ...Object.keys(context)].join(' '))
    },
  }`

/** What a login to the provider with the most questions asks. */
async function askedFor(place) {
  const { text } = await place.opencode(['auth', 'login', '-p', 'dragoman-openai'], {
    terminal: true,
    onText(text, { interrupt }) {
      if (text.includes('Address of the server')) interrupt()
    },
    seconds: 20,
  })
  return text
}

export function entrySteps({ binary, installed, sim }) {
  const module = pathToFileURL(`${installed}/dist/src/plugin/opencode.js`).href
  const backends = { box: { kind: 'cursor', baseUrl: sim.url, apiKey: 'crsr_any' } }

  async function runs(plugin, { prepare = () => undefined, asked = false } = {}) {
    const place = new Workplace({ binary, plugin })
    place.configure({ backends })
    place.write('hello.txt', 'MAGIC-TOKEN-4711\n')
    prepare(place)
    const args = ['run', '--print-logs', '-m', 'dragoman/box/composer-2', 'Read hello.txt']
    const { text } = await place.opencode(args)
    const seen = place.read('setup.txt')
    const login = asked && (await askedFor(place))
    place.remove()
    assert.match(text, /begins: MAGIC-TOKEN-4711/)
    assert.doesNotMatch(text, /failed to load plugin|must export|not a function/)
    return { seen, login }
  }

  return {
    async 'entry: a folder, with all logins'() {
      const { login } = await runs([pathToFileURL(installed).href], { asked: true })
      assert.match(login, /Address of the server/)
    },

    async 'entry: the module'() {
      await runs([module])
    },

    async 'entry: the module, whose setup does nothing in OpenCode 1'() {
      let file = ''
      const prepare = (place) => {
        place.write('noted.js', noted(module))
        file = `${place.project}/noted.js`
        place.write('opencode.json', JSON.stringify({ plugin: [pathToFileURL(file).href] }))
      }
      const { seen } = await runs([], { prepare })
      assert.match(seen ?? 'setup was not called', /^ options /)
    },

    async 'entry: a file in .opencode/plugin'() {
      const prepare = (place) => {
        place.writeSettings('.opencode')
        place.write('.opencode/plugin/dragoman.js', noted(module))
      }
      const { seen } = await runs([], { prepare })
      assert.match(seen ?? 'setup was not called', /^ options /)
    },

    /** OpenCode 2 itself is not here: only its kind of runtime. */
    async "entry: version 2's half in Bun"() {
      const place = new Workplace({ binary, plugin: [] })
      // Its own simulator: runs of others may end meanwhile.
      const own = await startSim()
      place.configure({ backends: { box: { ...backends.box, baseUrl: own.url } } })
      const probe = fileURLToPath(new URL('version-2-probe.mjs', import.meta.url))
      const result = JSON.parse(await place.module(probe, [module, own.control], { inBun: true }))
      own.stop()
      place.remove()
      const good = { bun: true, call: true, large: true, cancelled: true, foreign: 401, closed: true }
      assert.deepEqual(result, good)
    },
  }
}
