// The signals that end a program. Windows has Ctrl-C, Ctrl-Break and the closing of the console (process/hangup.ts), and no SIGTERM
// from outside: a listener for it does no harm.

import { commandWords } from './expand.ts'
import { signals } from './rows.ts'
import { type System, thisSystem } from './system.ts'

export const stopSignals = (system: System = thisSystem): NodeJS.Signals[] =>
  commandWords(signals.stop[system]) as NodeJS.Signals[]
