// What the code does on each system, run on any of them.

import { describe, expect, it } from 'vitest'
import { expandPath, fromHome } from '../../src/base/platform/expand.ts'
import { isInside } from '../../src/base/platform/is-inside.ts'
import { isOpenToOthers } from '../../src/base/platform/owner-only.ts'
import { isHeldElsewhere, replaceFile, replaceFileSync } from '../../src/base/platform/replace-file.ts'
import { places } from '../../src/base/platform/rows.ts'
import { stopSignals } from '../../src/base/platform/stop-signals.ts'
import { type System, systemOf, systems } from '../../src/base/platform/system.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { execProblems } from '../../src/config/exec.ts'
import { peerProblems } from '../../src/config/peers.ts'
import { type Config, configSchema } from '../../src/config/schema.ts'
import { browserCommand } from '../../src/credentials/open-browser.ts'

const unix = { HOME: '/home/me' }
const windows = {
  USERPROFILE: 'C:\\Users\\me',
  APPDATA: 'C:\\Users\\me\\AppData\\Roaming',
  LOCALAPPDATA: 'D:\\Local',
}

it.each([
  ['linux', 'linux'],
  ['darwin', 'macos'],
  ['win32', 'windows'],
  ['freebsd', 'linux'],
] as const)('%s counts as %s', (platform, system) => expect(systemOf(platform)).toBe(system))

describe('folders', () => {
  it.each<[System, NodeJS.ProcessEnv, string[]]>([
    ['linux', unix, ['/home/me/.config/dragoman/config.jsonc', '/home/me/.local/share/dragoman', '/home/me/.local/state/dragoman']],
    ['macos', unix, ['/home/me/.config/dragoman/config.jsonc', '/home/me/.local/share/dragoman', '/home/me/.local/state/dragoman']],
    ['windows', windows, ['C:\\Users\\me\\AppData\\Roaming\\dragoman\\config.jsonc', 'D:\\Local\\dragoman\\data', 'D:\\Local\\dragoman\\state']],
    // Started by a program that passes on almost nothing.
    ['windows', { USERPROFILE: 'C:\\Users\\me' }, ['C:\\Users\\me\\AppData\\Roaming\\dragoman\\config.jsonc', 'C:\\Users\\me\\AppData\\Local\\dragoman\\data', 'C:\\Users\\me\\AppData\\Local\\dragoman\\state']],
    ['windows', { ...windows, XDG_CONFIG_HOME: 'E:\\c', XDG_DATA_HOME: 'E:\\d', XDG_STATE_HOME: 'E:\\s' }, ['E:\\c\\dragoman\\config.jsonc', 'E:\\d\\dragoman', 'E:\\s\\dragoman']],
    ['macos', { ...unix, XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d', XDG_STATE_HOME: '/s' }, ['/c/dragoman/config.jsonc', '/d/dragoman', '/s/dragoman']],
  ])('of %s, with %j', (system, env, expected) => {
    const { userConfigFile, dataFolder, stateFolder } = readEnvironment(env, system)
    expect([userConfigFile, dataFolder, stateFolder]).toEqual(expected)
  }) // biome-ignore format: a table

  it('takes the home folder of Windows, not that of a Unix shell on it', () => {
    expect(readEnvironment({ ...windows, HOME: '/c/Users/me' }, 'windows').homeFolder).toBe('C:\\Users\\me')
  })

  it.each<[System, string, string]>([
    ['linux', '/home/me', '/home/me/.config/crush'],
    ['macos', '/Users/me', '/Users/me/.config/crush'],
    ['windows', 'C:\\Users\\me', 'D:\\Local\\crush'],
  ])("Crush's folder on %s", (system, home, expected) => {
    const variable = (name: string) => ({ LOCALAPPDATA: 'D:\\Local' })[name]
    expect(expandPath(places.crush[system], { home, variable }, system)).toBe(expected)
  })

  it.each<[System, string, string | undefined]>([
    ['linux', '~/a', '/home/me/a'],
    ['linux', '~', '/home/me'],
    ['linux', '~\\a', undefined],
    ['linux', '~other/a', undefined],
    ['windows', '~\\a\\b', '\\home\\me\\a\\b'],
    ['windows', '~/a', '\\home\\me\\a'],
    ['windows', 'C:\\a', undefined],
  ])('%s: %s from the home folder is %s', (system, path, expected) =>
    expect(fromHome(path, '/home/me', system)).toBe(expected),
  )
})

describe('a path inside a folder', () => {
  it.each<[System, string, string, boolean]>([
    ['linux', '/a/b', '/a', true],
    ['linux', '/a', '/a', true],
    ['linux', '/a/..b', '/a', true],
    ['linux', '/ab', '/a', false],
    ['linux', '/A/b', '/a', false],
    ['windows', 'C:\\a\\b', 'c:\\A', true],
    ['windows', 'C:\\ab', 'C:\\a', false],
    // Not relative to it at all: this must not pass for inside.
    ['windows', 'D:\\a\\b', 'C:\\a', false],
    ['windows', '\\\\server\\share\\a', 'C:\\a', false],
  ])('%s: %s in %s: %s', (system, path, folder, expected) =>
    expect(isInside(path, folder, system)).toBe(expected),
  )
})

describe('file modes', () => {
  it.each<[System, number, boolean]>([
    ['linux', 0o100600, false],
    ['linux', 0o100640, true],
    ['macos', 0o100604, true],
    // What Node says of every file there.
    ['windows', 0o100666, false],
  ])('%s: %o is open to others: %s', (system, mode, expected) =>
    expect(isOpenToOthers(mode, system)).toBe(expected),
  )
})

describe('commands and signals', () => {
  type Surroundings = Pick<ReturnType<typeof readEnvironment>, 'variable'>
  const url = 'http://127.0.0.1:1/?a=1&b=%20'
  const display: Surroundings = { variable: (name: string) => (name === 'DISPLAY' ? ':0' : undefined) }
  const none: Surroundings = { variable: () => undefined }

  it.each<[System, Surroundings, string[]]>([
    ['linux', display, ['xdg-open', url]],
    ['linux', none, []],
    ['macos', none, ['open', url]],
    ['windows', none, ['rundll32', 'url.dll,FileProtocolHandler', url]],
  ])('%s opens a page', (system, environment, expected) =>
    expect(browserCommand(url, environment, system)).toEqual(expected),
  )

  it.each<[System, string[]]>([
    ['linux', ['SIGTERM', 'SIGINT']],
    ['macos', ['SIGTERM', 'SIGINT']],
    ['windows', ['SIGTERM', 'SIGINT', 'SIGBREAK']],
  ])('%s stops on %j', (system, expected) => expect(stopSignals(system)).toEqual(expected))
})

describe('replacing a file that another program has open', () => {
  const failing = (times: number, code: string) => {
    let calls = 0
    const move = () => {
      if (calls++ < times) throw Object.assign(new Error(code), { code })
    }
    return { move, calls: () => calls }
  }

  it.each(['EPERM', 'EACCES', 'EBUSY'])('Windows tries again after %s', async (code) => {
    const waits: number[] = []
    const now = failing(3, code)
    replaceFileSync('a', 'b', { system: 'windows', move: now.move, pause: (ms) => void waits.push(ms) })
    expect(now.calls()).toBe(4)
    const later = failing(3, code)
    const pause = async (ms: number) => void waits.push(ms)
    await replaceFile('a', 'b', { system: 'windows', move: async () => later.move(), pause })
    expect(later.calls()).toBe(4)
    expect(waits).toEqual([10, 20, 40, 10, 20, 40])
  })

  it('Windows gives up in the end, and at once for any other reason', () => {
    const pause = () => undefined
    const held = failing(99, 'EPERM')
    expect(() => replaceFileSync('a', 'b', { system: 'windows', move: held.move, pause })).toThrow('EPERM')
    expect(held.calls()).toBe(7)
    const full = failing(1, 'ENOSPC')
    expect(() => replaceFileSync('a', 'b', { system: 'windows', move: full.move, pause })).toThrow('ENOSPC')
    expect(full.calls()).toBe(1)
  })

  it.each(['linux', 'macos'] as const)('%s does not try again', (system) => {
    const { move, calls } = failing(1, 'EPERM')
    expect(() => replaceFileSync('a', 'b', { system, move })).toThrow('EPERM')
    expect(calls()).toBe(1)
    expect(isHeldElsewhere({ code: 'EPERM' }, system)).toBe(false)
  })
})

describe('what a system does not have is refused at the start', () => {
  const config = (more: object): Config =>
    configSchema.parse({ backends: { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } }, ...more })

  it.each(systems)('local tools on %s', (system) => {
    const problems = execProblems(config({ exec: { enabled: true } }), system)
    if (system === 'linux') return expect(problems).toEqual([])
    expect(problems).toEqual([
      expect.stringMatching(/local tools work on Linux only.*"exec\.enabled" to false/),
    ])
    return expect(execProblems(config({}), system)).toEqual([])
  })

  it.each(systems)('a socket of Redis on %s', (system) => {
    const sessions = { redis: 'unix:///run/redis.sock', peerSecret: 'x'.repeat(32) }
    const problems = peerProblems(config({ sessions }), system)
    expect(problems.length).toBe(system === 'windows' ? 1 : 0)
  })
})
