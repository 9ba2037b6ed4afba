// SIGHUP asks for a reload, unless the terminal of the process is closed. Then the process stops, because the user would
// not see that it still runs.

import { isatty } from 'node:tty'
import { thisSystem } from '../base/platform/system.ts'

const descriptors = [0, 1, 2]

export function onHangup({ reload, stop }: { reload(): void; stop(): void }): void {
  const terminals = descriptors.filter(isatty)
  // Windows sends SIGHUP when the console is closed, and ends the process soon after.
  const isClosed = () => thisSystem === 'windows' || terminals.some((descriptor) => !isatty(descriptor))
  process.on('SIGHUP', () => {
    if (!isClosed()) return reload()
    if (process.listenerCount('exit', endBySignal) === 0) process.once('exit', endBySignal)
    stop()
  })
}

/** Ends the process as without a listener. On a normal exit without its terminal, Node would abort with a core dump. */
function endBySignal(): void {
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}
