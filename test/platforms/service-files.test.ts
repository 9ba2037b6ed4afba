// The files of a service on each system, and what their managers say.

import { describe, expect, it } from 'vitest'
import { type System, systems } from '../../src/base/platform/system.ts'
import type { ServiceFacts } from '../../src/service/service-facts.ts'
import { serviceFile } from '../../src/service/service-file.ts'
import { readState } from '../../src/service/service-state.ts'

const unix: ServiceFacts = {
  system: 'linux',
  home: '/home/me',
  variable: () => undefined,
  user: 'me',
  node: '/usr/bin/node',
  program: '/usr/lib/node_modules/dragoman-gateway/dist/src/cli.js',
  configFile: '/home/me/my $HOME/100%/"config".jsonc',
  envFile: '/home/me/.config/dragoman/service.env',
  stopSeconds: 40,
}

const facts: Record<System, ServiceFacts> = {
  linux: unix,
  macos: { ...unix, system: 'macos', home: '/Users/me', configFile: '/Users/me/a & <b>.jsonc' },
  windows: {
    ...unix,
    system: 'windows',
    home: 'C:\\Users\\me',
    user: 'BOX\\me & you',
    node: 'C:\\Program Files\\nodejs\\node.exe',
    program: 'C:\\npm\\node_modules\\dragoman-gateway\\dist\\src\\cli.js',
    configFile: 'C:\\Users\\me\\a & b\\config.jsonc',
    envFile: 'C:\\Users\\me\\AppData\\Roaming\\dragoman\\service.env',
  },
}

it.each<[System, string, string | undefined]>([
  ['linux', '/home/me/.config/systemd/user/dragoman.service', undefined],
  ['macos', '/Users/me/Library/LaunchAgents/local.dragoman.plist', '/Users/me/Library/Logs/dragoman.log'],
  [
    'windows',
    'C:\\Users\\me\\AppData\\Local\\dragoman\\service.xml',
    'C:\\Users\\me\\AppData\\Local\\dragoman\\service.log',
  ],
])('%s: the file and the log are where the system has them', (system, path, log) => {
  expect(serviceFile(facts[system])).toMatchObject({ path, log })
})

it('systemd: the unit is where XDG_CONFIG_HOME says', () => {
  const variable = (name: string) => (name === 'XDG_CONFIG_HOME' ? '/c' : undefined)
  expect(serviceFile({ ...unix, variable }).path).toBe('/c/systemd/user/dragoman.service')
})

it('systemd: starts, reloads and stops the gateway', () => {
  const { text } = serviceFile(unix)
  const config = '"/home/me/my $$HOME/100%%/\\"config\\".jsonc"'
  const program = '/usr/bin/node /usr/lib/node_modules/dragoman-gateway/dist/src/cli.js'
  expect(text).toContain(
    `\nExecStart=${program} serve --config ${config} --env-file /home/me/.config/dragoman/service.env\n`,
  )
  expect(text).toContain(`\nExecReload=${program} reload --config ${config}\n`)
  expect(text).toContain('\nTimeoutStopSec=40\n')
  expect(text).toContain('\nRestartPreventExitStatus=2\n')
  expect(text).toContain('\nWantedBy=default.target\n')
})

it('launchd: starts the gateway at login, and again after a failure', () => {
  const { text } = serviceFile(facts.macos)
  const words = [...text.matchAll(/^ {4}<string>(.*)<\/string>$/gm)].map(([, word]) => word)
  expect(words).toEqual([
    '/usr/bin/node',
    '/usr/lib/node_modules/dragoman-gateway/dist/src/cli.js',
    ...['serve', '--config', '/Users/me/a &amp; &lt;b&gt;.jsonc'],
    ...['--env-file', '/home/me/.config/dragoman/service.env'],
  ])
  expect(text).toMatch(/<key>RunAtLoad<\/key>\s*<true\/>/)
  expect(text).toMatch(/<key>KeepAlive<\/key>\s*<dict>\s*<key>SuccessfulExit<\/key>\s*<false\/>/)
  expect(text).toMatch(/<key>ExitTimeOut<\/key>\s*<integer>40<\/integer>/)
})

it("Windows: starts the gateway without a window at this user's logon, and for ever", () => {
  const { text, bytes } = serviceFile(facts.windows)
  expect([...bytes.subarray(0, 4)]).toEqual([0xff, 0xfe, '<'.charCodeAt(0), 0])
  expect(bytes.subarray(2).toString('utf16le')).toBe(text)
  // For any user it would need an administrator.
  expect(text).toMatch(/<LogonTrigger>[\s\S]*<UserId>BOX\\me &amp; you<\/UserId>[\s\S]*<\/LogonTrigger>/)
  expect(text).toContain('<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>')
  expect(text).toContain('<Command>conhost.exe</Command>')
  const line = /<Arguments>(.*)<\/Arguments>/
    .exec(text)?.[1]
    ?.replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
  expect(line).toBe(
    '--headless cmd.exe /d /s /c ""C:\\Program Files\\nodejs\\node.exe" "C:\\npm\\node_modules\\dragoman-gateway\\dist\\src\\cli.js" "serve" "--config" "C:\\Users\\me\\a & b\\config.jsonc" "--env-file" "C:\\Users\\me\\AppData\\Roaming\\dragoman\\service.env" >> "C:\\Users\\me\\AppData\\Local\\dragoman\\service.log" 2>&1"',
  )
})

describe('refuses what would not work', () => {
  it.each(systems)('%s: a copy in the cache of npx', (system) => {
    const program = system === 'windows' ? 'C:\\npm\\_npx\\1\\cli.js' : '/home/me/.npm/_npx/1/cli.js'
    expect(() => serviceFile({ ...facts[system], program })).toThrow(/npm install -g dragoman-gateway/)
  })

  it.each<[System, string]>([
    ['linux', '/a\nExecStart=/bin/evil'],
    ['macos', '/a\nb'],
    ['windows', 'C:\\100%\\config.jsonc'],
    ['windows', 'C:\\a" & calc & "b'],
  ])('%s: %j', (system, configFile) => {
    expect(() => serviceFile({ ...facts[system], configFile })).toThrow(/cannot stand in the file/)
  })
})

describe('what the manager says', () => {
  const none = { known: false, startsAtLogin: false, running: false, pid: undefined, exitCode: undefined }

  it.each<[System, string, number, string, object]>([
    ['linux', 'runs', 0, 'LoadState=loaded\nActiveState=active\nUnitFileState=enabled\nMainPID=77\nExecMainStatus=0\n', { known: true, startsAtLogin: true, running: true, pid: 77 }],
    ['linux', 'has failed', 0, 'LoadState=loaded\nActiveState=failed\nUnitFileState=disabled\nMainPID=0\nExecMainStatus=2\n', { known: true, startsAtLogin: false, running: false, pid: undefined, exitCode: 2 }],
    ['linux', 'is not there', 0, 'LoadState=not-found\nActiveState=inactive\nUnitFileState=\nMainPID=0\n', none],
    ['macos', 'runs', 0, 'gui/501/local.dragoman = {\n\tactive count = 1\n\tstate = running\n\n\tpid = 77\n\tlast exit code = (never exited)\n\tsub = {\n\t\tstate = idle\n\t}\n}\n', { known: true, startsAtLogin: true, running: true, pid: 77, exitCode: undefined }],
    ['macos', 'has failed', 0, 'x = {\n\tstate = spawn scheduled\n\tlast exit code = 2\n}\n', { known: true, running: false, pid: undefined, exitCode: 2 }],
    ['macos', 'is not there', 113, 'Could not find service', none],
    ['windows', 'is there', 0, 'whatever', { known: true, startsAtLogin: true, running: undefined }],
    ['windows', 'is not there', 1, '', none],
  ])('%s: the service %s', (system, _, code, stdout, expected) => {
    expect(readState[system]({ code, stdout })).toMatchObject(expected)
  }) // biome-ignore format: a table
})
