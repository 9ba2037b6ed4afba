// The systems that the gateway is written for. Everything that differs between them is in rows.ts.

import { type PlatformPath, posix, win32 } from 'node:path'

export const systems = ['linux', 'macos', 'windows'] as const

export type System = (typeof systems)[number]

/** Other Unix systems count as Linux. */
export const systemOf = (platform: NodeJS.Platform): System =>
  platform === 'win32' ? 'windows' : platform === 'darwin' ? 'macos' : 'linux'

export const thisSystem = systemOf(process.platform)

export const systemTitles: Record<System, string> = { linux: 'Linux', macos: 'macOS', windows: 'Windows' }

/** The functions of `node:path` for a system, which need not be this one. */
export const pathsOf = (system: System): PlatformPath => (system === 'windows' ? win32 : posix)
