// `dragoman service` with stand-ins for systemctl, launchctl and schtasks. The one for systemctl starts what the unit says.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { installService, serviceStatus, uninstallService } from '../../src/cli/service.ts'
import { serviceManager } from '../../src/cli/service-commands.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { atTestEnd } from '../at-end.ts'
import { Home } from '../cli/program.ts'
import { isNightly } from '../depth.ts'

const config = { listen: { port: 0 }, backends: { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: '{env:BOX_KEY}' } } } // biome-ignore format: one line

function program(folder: string, name: string, script: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*" >> "${folder}/calls"\n${script}`)
  chmodSync(join(folder, name), 0o755)
}

const calls = (folder: string) => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')

/** A user manager: it starts the unit's command with almost no variables, and ends it by SIGTERM. */
const systemctl = (home: Home) => `
unit="${home.path('config')}/systemd/user/dragoman.service"
pid="${home.path('pid')}"
case "$2 $3" in
  "show --property=Version") echo Version=252 ;;
  "show "*)
    [ -f "$unit" ] && echo LoadState=loaded || echo LoadState=not-found
    echo UnitFileState=enabled
    if [ -f "$pid" ] && kill -0 $(cat "$pid"); then echo ActiveState=active; echo MainPID=$(cat "$pid"); else echo ActiveState=inactive; fi ;;
  "restart "*)
    [ -f "$pid" ] && kill $(cat "$pid")
    env -i HOME="$HOME" sh -c "exec $(sed -n 's/^ExecStart=//p' "$unit")" >> "${home.path('journal')}" 2>&1 &
    echo $! > "$pid" ;;
  "disable --now") kill $(cat "$pid"); rm "$pid" ;;
esac
exit 0
`

it('Linux: installs, starts, shows and removes it; no secret is in the unit', async () => {
  const home = new Home()
  const folder = home.path('programs')
  program(folder, 'systemctl', systemctl(home))
  program(folder, 'journalctl', `cat "${home.path('journal')}"`)
  atTestEnd(() => {
    if (existsSync(home.path('pid'))) process.kill(Number(readFileSync(home.path('pid'), 'utf8')), 'SIGKILL')
  })
  const file = home.write('dragoman.jsonc', config)
  const run = (...args: string[]) =>
    home.run(['service', ...args], {
      env: { PATH: `${folder}:${process.env.PATH}`, BOX_KEY: 'canary-of-the-service' },
    })
  const printed = await run('install', '--config', file, '--print')
  expect(printed).toMatchObject({ code: 0, stdout: expect.stringContaining('\nExecStart=') })
  expect(existsSync(home.path('config', 'systemd'))).toBe(false)

  const installed = await run('install', '--config', file, '--with-env')
  expect(installed).toMatchObject({ code: 0, stderr: '' })
  expect(installed.stdout).toMatch(
    /^Installed: .*dragoman\.service\..*\nThe gateway runs at http:\/\/127\.0\.0\.1:\d+ \(process \d+\)\.\n$/,
  )
  const unit = readFileSync(home.path('config', 'systemd', 'user', 'dragoman.service'), 'utf8')
  expect(unit).toBe(printed.stdout)
  expect(unit).not.toContain('canary')
  const envFile = home.path('config', 'dragoman', 'service.env')
  expect(readFileSync(envFile, 'utf8')).toContain('\nBOX_KEY=canary-of-the-service\n')
  expect(statSync(envFile).mode & 0o777).toBe(0o600)

  const status = JSON.parse((await run('status', '--json')).stdout)
  expect(status).toMatchObject({ installed: true, startsAtLogin: true, running: true })
  expect((await fetch(`${status.url}/healthz`)).status).toBeLessThan(500)
  const logs = await run('logs')
  expect(logs.stdout).toContain('dragoman listening on')
  expect(logs.output).not.toContain('canary')

  expect(await run('uninstall')).toMatchObject({ code: 0, stdout: expect.stringContaining('Removed') })
  expect(existsSync(home.path('config', 'systemd', 'user', 'dragoman.service'))).toBe(false)
  expect(calls(folder).filter((call) => !call.includes(' show '))).toEqual([
    'systemctl --user daemon-reload',
    'systemctl --user enable dragoman.service',
    'systemctl --user restart dragoman.service',
    'journalctl --user --user-unit=dragoman.service --no-pager --output=cat --lines=100',
    'systemctl --user disable --now dragoman.service',
    'systemctl --user daemon-reload',
  ])
})

it('Linux: without a manager nothing is written, and the message says what to do', async () => {
  const home = new Home()
  const folder = home.path('programs')
  program(folder, 'systemctl', 'echo "Failed to connect to bus: No medium found" >&2; exit 1\n')
  const file = home.write('dragoman.jsonc', config)
  const env = { PATH: `${folder}:${process.env.PATH}` }
  const { code, stderr } = await home.run(['service', 'install', '--config', file], { env })
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /No systemd of this user answers here \(Failed to connect to bus.*Nothing was written.*dragoman serve --config .*--print/s,
  )
  expect(existsSync(home.path('config'))).toBe(false)
})

/** The folder comes first on PATH until the test is through. */
function onPath(folder: string): void {
  const { PATH } = process.env
  process.env.PATH = `${folder}:${PATH}`
  atTestEnd(() => {
    process.env.PATH = PATH
  })
}

/** What it ends is there for a while longer. */
const launchctl = (folder: string, control: string) => `
loaded="${folder}/loaded"
case "$1 $2" in
  "print gui/"*/*)
    [ -f "$loaded.leaving" ] && [ $(wc -l < "$loaded.leaving") -ge 3 ] && rm "$loaded" "$loaded.leaving"
    [ -f "$loaded.leaving" ] && echo >> "$loaded.leaving"
    [ -f "$loaded" ] || exit 113; echo "	state = running"; echo "	pid = ${process.pid}" ;;
  "bootstrap "*) [ -f "$loaded" ] && exit 5; touch "$loaded"; cp "${folder}/gateway.json" "${control}" ;;
  "bootout "*) echo > "$loaded.leaving" ;;
esac
exit 0
`

it.runIf(isNightly)('macOS: installs twice, shows and removes it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-service-'))
  atTestEnd(() => rmSync(folder, { recursive: true, force: true }))
  const environment = readEnvironment({ HOME: folder, PATH: process.env.PATH }, 'macos')
  const file = join(folder, 'dragoman.jsonc')
  writeFileSync(file, JSON.stringify(config))
  // What the gateway would write when it listens.
  const control = join(environment.stateFolder, 'running')
  const gateway = { url: 'http://127.0.0.1:4711', pid: process.pid, token: 't', file }
  const template = join(folder, 'gateway.json')
  writeFileSync(template, JSON.stringify(gateway))
  mkdirSync(control, { recursive: true })
  program(join(folder, 'programs'), 'launchctl', launchctl(folder, join(control, '4711.json')))
  onPath(join(folder, 'programs'))
  let shown = ''
  const collect = (text: unknown) => {
    shown += String(text)
    return true
  }
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation(collect),
  )
  atTestEnd(() => {
    for (const spy of spies) spy.mockRestore()
    process.exitCode = 0
  })
  const around = { system: 'macos', environment, patienceMs: 5_000 } as const
  await installService({ config: file }, around)
  expect(shown).toContain('warning: the configuration needs BOX_KEY')
  expect(shown).toContain('The gateway runs at http://127.0.0.1:4711')
  await installService({ config: file }, around)
  shown = ''
  await serviceStatus({ json: true }, around)
  expect(JSON.parse(shown)).toMatchObject({
    installed: true,
    running: true,
    pid: process.pid,
    url: gateway.url,
  })
  await uninstallService({}, around)
  expect(existsSync(join(folder, 'Library', 'LaunchAgents', 'local.dragoman.plist'))).toBe(false)
  const changes = calls(join(folder, 'programs')).filter((call) => !call.startsWith('launchctl print'))
  const target = `gui/${process.getuid?.()}`
  const install = [
    `launchctl enable ${target}/local.dragoman`,
    `launchctl bootstrap ${target} ${join(folder, 'Library', 'LaunchAgents', 'local.dragoman.plist')}`,
  ]
  const stop = `launchctl bootout ${target}/local.dragoman`
  expect(changes).toEqual([...install, stop, ...install, stop])
})

it.runIf(isNightly)('Windows: calls the Task Scheduler, and says what a refusal may mean', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-service-'))
  atTestEnd(() => rmSync(folder, { recursive: true, force: true }))
  program(
    folder,
    'schtasks',
    `[ "$1" = /Query ] && [ "$2" = /TN ] && [ ! -f "${folder}/task" ] && exit 1
[ "$1" = /Create ] && touch "${folder}/task"
[ "$1" = /Delete ] && { echo "ERROR: Access is denied." >&2; exit 1; }
exit 0
`,
  )
  program(folder, 'powershell', 'exit 0\n')
  onPath(folder)
  const log = "C:\\it's\\service.log"
  const manager = serviceManager({ system: 'windows', uid: 0, file: 'C:\\service.xml', log })
  expect(await manager.problem()).toBeUndefined()
  expect((await manager.state()).known).toBe(false)
  await manager.install()
  expect((await manager.state()).known).toBe(true)
  await manager.install()
  await manager.showLog({ lines: 7, follow: true })
  const removed = vi.fn()
  await expect(manager.remove(removed)).rejects.toThrow(
    /`schtasks \/Delete .*Access is denied.*terminal of an administrator/,
  )
  expect(removed).not.toHaveBeenCalled()
  const create = ['schtasks /Create /TN dragoman /XML C:\\service.xml /F', 'schtasks /Run /TN dragoman']
  const end = 'schtasks /End /TN dragoman'
  expect(calls(folder).filter((call) => !call.includes('/Query'))).toEqual([
    ...[...create, end, ...create],
    "powershell -NoProfile -NonInteractive -Command Get-Content -LiteralPath 'C:\\it''s\\service.log' -Encoding UTF8 -Tail 7 -Wait",
    ...[end, 'schtasks /Delete /TN dragoman /F'],
  ])
})
