// Whether other users can read a file. Windows has no modes: Node shows 0666 for every file there that can be written.

import { type System, thisSystem } from './system.ts'

export const isOpenToOthers = (mode: number, system: System = thisSystem): boolean =>
  system !== 'windows' && (mode & 0o077) !== 0
