// The file that tells a system about the service: a systemd user unit, a launchd agent or a Windows task. Pure: facts in, text out.

import { expandPath } from '../base/platform/expand.ts'
import { services } from '../base/platform/rows.ts'
import { pathsOf, type System } from '../base/platform/system.ts'
import { launchdAgent } from './launchd-agent.ts'
import type { ServiceFacts } from './service-facts.ts'
import { systemdUnit } from './systemd-unit.ts'
import { windowsTask } from './windows-task.ts'

export interface ServiceFile {
  path: string
  text: string
  /** As the system wants it. */
  bytes: Buffer
  /** Undefined where the system keeps the log. */
  log: string | undefined
}

/** Why no service can be made of these facts, with what to do. */
export class CannotServe extends Error {
  override readonly name = 'CannotServe'
}

export function serviceFile(facts: ServiceFacts): ServiceFile {
  const { system } = facts
  refuse(facts)
  const path = filePath(facts)
  const log = logFile(facts)
  const text = texts[system](facts, log ?? '')
  return {
    path,
    text,
    bytes: Buffer.from(system === 'windows' ? `\uFEFF${text}` : text, encodings[system]),
    log,
  }
}

/** Windows takes a task as it writes one itself. */
const encodings = { linux: 'utf8', macos: 'utf8', windows: 'utf16le' } as const

const texts: Record<System, (facts: ServiceFacts, log: string) => string> = {
  linux: systemdUnit,
  macos: launchdAgent,
  windows: windowsTask,
}

/** systemd looks for units below XDG_CONFIG_HOME. */
export function filePath(facts: Pick<ServiceFacts, 'system' | 'home' | 'variable'>): string {
  const { system, variable } = facts
  const base = system === 'linux' ? variable('XDG_CONFIG_HOME') : undefined
  if (base) return pathsOf(system).join(base, 'systemd', 'user', services.name.linux)
  return expandPath(services.file[system], facts, system)
}

/** Undefined where the system keeps it. */
export const logFile = (facts: Pick<ServiceFacts, 'system' | 'home' | 'variable'>): string | undefined =>
  facts.system === 'linux' ? undefined : expandPath(services.log[facts.system], facts, facts.system)

function refuse({ system, node, program, configFile, envFile }: ServiceFacts): void {
  if (/[\\/]_npx[\\/]/.test(program))
    throw new CannotServe(
      'This copy is in the cache of npx, which npm may empty: install it first (npm install -g dragoman-gateway), then run `dragoman service install`.',
    )
  const odd = [node, program, configFile, envFile].find((path) =>
    (system === 'windows' ? /[%"\r\n]/ : /[\r\n]/).test(path),
  )
  if (odd !== undefined)
    throw new CannotServe(
      `${JSON.stringify(odd)} cannot stand in the file of a service${system === 'windows' ? ': it contains % or a quote' : ''}; rename it.`,
    )
}
