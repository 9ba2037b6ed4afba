// The cases: commands of the program, and Node alone.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const bareServer =
  "require('node:http').createServer((_, response) => response.end()).listen(0, '127.0.0.1', function () { console.log('listening on http://127.0.0.1:' + this.address().port) })"

export function casesOf({ program, folder, upstream, mark = '' }) {
  const env = { PATH: process.env.PATH ?? '', HOME: folder }
  const configFile = (name, backends) => {
    const file = join(folder, `${name}.jsonc`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      file,
      JSON.stringify({ auth: 'none', log: { level: 'error' }, listen: { port: 0 }, backends }),
    )
    return file
  }
  const openai = { kind: 'openai', baseUrl: `${upstream}/v1`, apiKey: 'bench' }
  const one = configFile('one', { box: openai })
  const cursor = { kind: 'cursor', baseUrl: upstream, apiKey: 'bench' }
  const account = configFile('account', { cursor })
  const all = configFile('all', {
    box: openai,
    text: { ...openai, tools: 'text' },
    claude: { kind: 'anthropic', baseUrl: upstream, apiKey: 'bench' },
    cursor,
    qwen: { kind: 'qwen-web', baseUrl: upstream, token: 'bench' },
  })
  const serves = { ready: /listening on (http:\/\/\S+)\n/, env }
  const command = (name, args, rest = { env }) => ({ name: name + mark, args: [program, ...args], ...rest })
  const plugin = pathToFileURL(join(dirname(program), 'plugin', 'opencode.js'))
  return [
    { name: 'bare', args: ['-e', bareServer], ...serves },
    command('serve, one backend', ['serve', '--config', one], { ...serves, model: 'box/bench' }),
    command('serve, a Cursor account', ['serve', '--config', account], serves),
    command('serve, all kinds', ['serve', '--config', all], { ...serves, model: 'box/bench' }),
    command('demo', ['demo', '--port', '0'], { ...serves, model: 'demo-openai/gpt-demo' }),
    command('--version', ['--version']),
    command('--help', ['--help']),
    { name: `plugin${mark}`, args: ['-e', `import(${JSON.stringify(String(plugin))})`], env },
  ]
}
