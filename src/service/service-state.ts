// What the system's manager of services says of the service.

import type { System } from '../base/platform/system.ts'

export interface ServiceState {
  /** The manager knows it. */
  known: boolean
  startsAtLogin: boolean
  /** Undefined: the manager does not say. */
  running: boolean | undefined
  pid: number | undefined
  /** Of the last process that ended. */
  exitCode: number | undefined
}

export interface Answer {
  code: number
  stdout: string
}

const unknown: ServiceState = {
  known: false,
  startsAtLogin: false,
  running: false,
  pid: undefined,
  exitCode: undefined,
}

export const readState: Record<System, (answer: Answer) => ServiceState> = {
  linux: ({ stdout }) => {
    const told = fieldsOf(stdout, '=')
    if (told.get('LoadState') !== 'loaded') return unknown
    return {
      known: true,
      startsAtLogin: told.get('UnitFileState') === 'enabled',
      running: told.get('ActiveState') === 'active',
      pid: numberOf(told.get('MainPID')),
      exitCode: numberOf(told.get('ExecMainStatus')),
    }
  },
  macos: ({ code, stdout }) => {
    if (code !== 0) return unknown
    const told = fieldsOf(stdout, ' = ')
    return {
      known: true,
      startsAtLogin: true,
      running: told.get('state') === 'running',
      pid: numberOf(told.get('pid')),
      exitCode: numberOf(told.get('last exit code')),
    }
  },
  // What schtasks prints is in the language of the user; only its exit code is not.
  windows: ({ code }) =>
    code === 0 ? { ...unknown, known: true, startsAtLogin: true, running: undefined } : unknown,
}

/** Undefined for 0, too: no process, no failure. */
const numberOf = (text: string | undefined) => Number(text) || undefined

/** The first value of each name: inner parts of what launchctl prints repeat some. */
function fieldsOf(text: string, sign: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const line of text.split('\n')) {
    const at = line.indexOf(sign)
    const name = line.slice(0, at).trim()
    if (at > 0 && !fields.has(name)) fields.set(name, line.slice(at + sign.length).trim())
  }
  return fields
}
