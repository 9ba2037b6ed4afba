// `npm run test:packed [-- NODE…]`: the tarball holds what is needed and nothing else, installs into an empty folder, and
// its command `dragoman demo` answers there, under this Node and each named NODE.

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { build, install, root } from './prepare.mjs'

const say = (text) => process.stdout.write(`${text}\n`)
const allowed =
  /^(?:dist\/src\/(?:cli|index|plugin\/opencode|plugin\/opencode-1|chunks\/[\w-]+)\.js|dist\/(?:src|proto)\/.*\.d\.ts|dist\/licenses\.txt|dist\/inspector\/(?:index\.html|app\.js|style\.css)|docs\/[^/]+|README\.md|CHANGELOG\.md|SECURITY\.md|LICENSE|package\.json|server\.js)$/
const largestBytes = 1_600_000

function pack(folder) {
  const output = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
  })
  const [{ filename, size, files }] = JSON.parse(output)
  const strange = files
    .map(({ path }) => path)
    .filter((path) => !allowed.test(path) || /\.(?:test|fixture)\./.test(path))
  assert.deepEqual(strange, [], 'these files do not belong in the package')
  assert.ok(size < largestBytes, `the package has ${size} bytes`)
  say(`ok   packed: ${files.length} files, ${Math.round(size / 1000)} kB`)
  return filename
}

async function demo(folder, node) {
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH}`
  const env = { ...process.env, PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_STATE_HOME: folder }
  const child = spawn('npx', ['--no-install', 'dragoman', 'demo', '--port', '0'], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const line = await new Promise((resolve) => createInterface(child.stdout).once('line', resolve))
    const [url] = /http:\S+/.exec(line) ?? []
    const { data } = await (await fetch(`${url}/v1/models`)).json()
    assert.ok(data.some(({ id }) => id === 'demo-cursor/composer-2'))
    say(`ok   dragoman demo under ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`)
  } finally {
    // The process group: npx and its child.
    process.kill(-child.pid)
  }
}

const firstCall = `
  const { OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL } = process.env
  const [model] = (await (await ask('/models')).json()).data
  const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
  const body = {
    model: OPENAI_MODEL ?? model.id,
    messages: [{ role: 'user', content: 'Read README.md' }],
    tools: [{ type: 'function', function: { name: 'read_file', parameters } }],
  }
  const { choices } = await (await ask('/chat/completions', { method: 'POST', body: JSON.stringify(body) })).json()
  console.log(JSON.stringify(choices[0].message.tool_calls[0].function))
  function ask(path, more) {
    const headers = { authorization: 'Bearer ' + OPENAI_API_KEY, 'content-type': 'application/json' }
    return fetch(OPENAI_BASE_URL + path, { headers, ...more })
  }`

/** `init` writes a configuration, and `launch` brings a program to its first tool call, from an empty home. */
function firstHour(folder) {
  const env = { PATH: process.env.PATH, HOME: folder, ANTHROPIC_API_KEY: 'sk-ant-nobody' }
  const dragoman = (...args) =>
    execFileSync('npx', ['--no-install', 'dragoman', ...args], {
      ...{ cwd: folder, env, encoding: 'utf8', timeout: 120_000, stdio: ['ignore', 'pipe', 'pipe'] },
    })
  const written = dragoman('init', '--yes', '--print', '--backend', 'anthropic')
  assert.match(written, /"\{env:ANTHROPIC_API_KEY\}"/)
  const program = [process.execPath, '--input-type=module', '-e', firstCall]
  const called = dragoman('launch', '--demo', '--yes', 'env', '--', ...program)
  assert.match(called, /"name":"read_file","arguments":"\{\\"path\\":\\"README.md\\"\}"/)
  say('ok   init writes a configuration; launch leads to a tool call')
}

/** The library example of the documents. */
const library = `
  import { createGateway, parseConfig, readEnvironment } from 'dragoman-gateway/gateway'
  const environment = readEnvironment()
  const text = '{ "backends": { "box": { "kind": "openai", "baseUrl": "http://127.0.0.1:9/v1" } } }'
  const { config, secrets } = parseConfig(text, { environment })
  const gateway = await createGateway({ config, secrets, keys: [], connect: environment })
  const answer = await gateway.fetch(new Request('http://gateway/readyz'))
  console.log(await answer.text())
  await gateway.close()`

/** What each version of OpenCode reads: 1 `main`, 2 the package's module, or server.js where a folder is named. */
const plugins = `
  import { createRequire } from 'node:module'
  import { dirname, join } from 'node:path'
  const file = createRequire(import.meta.url).resolve('dragoman-gateway/package.json')
  const { default: { main, exports } } = await import(file, { with: { type: 'json' } })
  const first = Object.values(await import(join(dirname(file), main)))
  const second = [await import('dragoman-gateway'), await import('dragoman-gateway/server')]
  const bridge = await import(join(dirname(file), 'server.js'))
  if (second.some((one) => one.default !== bridge.default)) throw new Error('several modules')
  const { id, server, setup } = bridge.default
  console.log(JSON.stringify({
    first: first.map((one) => typeof one),
    serverForFirst: ['import', 'default'].filter((name) => name in exports['./server']),
    second: [Object.keys(bridge), id, typeof server, typeof setup],
  }))`

install()
build()
const folder = mkdtempSync(join(tmpdir(), 'dragoman-packed-'))
try {
  const tarball = pack(folder)
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', `./${tarball}`], {
    cwd: folder,
  })
  const found = execFileSync(process.execPath, ['--input-type=module', '-e', library], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 30_000,
  })
  assert.match(found, /"status":"ready"/)
  say('ok   installed into an empty folder; dragoman-gateway/gateway answers')
  const kinds = execFileSync(process.execPath, ['--input-type=module', '-e', plugins], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 30_000,
  })
  assert.deepEqual(JSON.parse(kinds), {
    first: Array(4).fill('function'),
    // OpenCode 1 would read it in place of `main`, and see one login only.
    serverForFirst: [],
    second: [['default'], 'dragoman', 'function', 'function'],
  })
  say('ok   each version of OpenCode finds its plugins, and they leave nothing running')
  firstHour(folder)
  for (const node of [process.execPath, ...process.argv.slice(2)]) await demo(folder, node)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
