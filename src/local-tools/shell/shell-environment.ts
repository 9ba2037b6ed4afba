// The environment of a command, built from an allow-list: the gateway's own has keys.

import { homedir, userInfo } from 'node:os'
import { delimiter, isAbsolute } from 'node:path'
import { isWithin } from './find-program.ts'
import type { Sandbox } from './sandbox.ts'

const systemPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

/** Languages and the time zone, with values that cannot contain a secret. */
const isLocale = (name: string, value: string) =>
  /^(LANG|LANGUAGE|LC_[A-Z]+|TZ)$/.test(name) && /^[\w.@:/+-]{1,64}$/.test(value)

export interface Surroundings {
  root: string
  sandbox: Sandbox | undefined
  shell: string
}

export function shellEnvironment({ root, sandbox, shell }: Surroundings): Record<string, string> {
  const locale = Object.entries(process.env).filter(([name, value = '']) => isLocale(name, value))
  return {
    LANG: 'C.UTF-8',
    ...(Object.fromEntries(locale) as Record<string, string>),
    ...userNames(),
    PATH: programPath(root, sandbox),
    HOME: sandbox?.home ?? homedir(),
    SHELL: shell,
    ...(sandbox && { TMPDIR: '/tmp' }),
    // No user watches or answers.
    TERM: 'dumb',
    NO_COLOR: '1',
    PAGER: 'cat',
    MANPAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'true',
    GIT_TERMINAL_PROMPT: '0',
  }
}

function programPath(root: string, sandbox: Sandbox | undefined): string {
  const current = (process.env.PATH ?? '').split(delimiter)
  const isUseful = (folder: string) =>
    isAbsolute(folder) &&
    !isWithin(folder, root) &&
    (sandbox === undefined || sandbox.programFolders.some((shown) => isWithin(folder, shown)))
  return [...new Set([...current.filter(isUseful), ...systemPath])].join(delimiter)
}

function userNames(): Record<string, string> {
  try {
    const { username } = userInfo()
    return { USER: username, LOGNAME: username }
  } catch {
    // A user id without a name, as in some containers.
    return {}
  }
}
