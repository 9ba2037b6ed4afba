// The system's manager of services, by its commands (base/platform/rows.ts): systemctl, launchctl or schtasks.

import { execFile, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandWords } from '../base/platform/expand.ts'
import { type Row, services } from '../base/platform/rows.ts'
import type { System } from '../base/platform/system.ts'
import { CommandError } from '../process/command-error.ts'
import { type Answer, readState, type ServiceState } from '../service/service-state.ts'

interface ManagerOptions {
  system: System
  /** Of the user; 0 on Windows, which has none. */
  uid: number
  /** The file of the service. */
  file: string
  log: string | undefined
}

export interface ServiceManager {
  /** Why the manager cannot be used here; undefined if it can. */
  problem(): Promise<string | undefined>
  state(): Promise<ServiceState>
  install(): Promise<void>
  /** Ends it. Its file is removed between the two. */
  remove(removeFile: () => void): Promise<void>
  showLog(options: { lines: number; follow: boolean }): Promise<void>
}

interface Ran extends Answer {
  stderr: string
}

/** Stopping waits for running answers. */
const patienceMs = 60_000
const pollMs = 250

export function serviceManager({ system, uid, file, log = '' }: ManagerOptions): ServiceManager {
  const quoted = `'${log.replaceAll("'", "''")}'`
  const values = { NAME: services.name[system], UID: String(uid), FILE: file, LOG: log }
  const commandsOf = (row: Row, more: Record<string, string> = {}) =>
    row[system]
      .split('; ')
      .filter((command) => command !== '')
      .map((command) => commandWords(command, { ...values, ...more }))
  const runAll = async (row: Row) => {
    for (const words of commandsOf(row)) await mustRun(words, system)
  }
  const ask = async (row: Row): Promise<Ran> => {
    const [words = []] = commandsOf(row)
    return run(words)
  }
  const state = async () => readState[system](await ask(services.state))

  async function stop(): Promise<void> {
    if (!(await state()).known) return
    for (const words of commandsOf(services.stop)) await run(words)
    // launchctl returns before the program has ended, and takes no new one until then.
    const deadline = Date.now() + patienceMs
    while (system === 'macos' && (await state()).known && Date.now() < deadline) await sleep(pollMs)
  }

  return {
    state,
    async problem() {
      const { code, stderr } = await ask(services.reach)
      return code === 0 ? undefined : `${noManager[system]} (${firstLine(stderr)}).`
    },
    async install() {
      await stop()
      await runAll(services.install)
    },
    async remove(removeFile) {
      await stop()
      await runAll(services.remove)
      removeFile()
      await runAll(services.forget)
    },
    async showLog({ lines, follow }) {
      const show = `Get-Content -LiteralPath ${quoted} -Encoding UTF8 -Tail ${lines}`
      const more = { LINES: String(lines), SHOW: show, FOLLOW: `${show} -Wait` }
      const [words = []] = commandsOf(follow ? services.follow : services.logs, more)
      await passOn(words)
    },
  }
}

const noManager: Record<System, string> = {
  linux: 'No systemd of this user answers here',
  macos: 'launchd has no session of this user here',
  windows: 'The Task Scheduler cannot be called',
}

const firstLine = (text: string) => text.trim().split('\n', 1)[0] || 'it says nothing'

/** A program that is not there answers 127, as in a shell. */
function run([program = '', ...args]: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { encoding: 'utf8', timeout: patienceMs, windowsHide: true } as const
    execFile(program, args, options, (error, stdout, stderr) => {
      const { code } = (error ?? { code: 0 }) as { code?: number | string | null }
      if (code === 'ENOENT') resolve({ code: 127, stdout, stderr: `${program} was not found` })
      else resolve({ code: typeof code === 'number' ? code : 1, stdout, stderr })
    })
  })
}

async function mustRun(words: readonly string[], system: System): Promise<void> {
  const { code, stdout, stderr } = await run(words)
  if (code === 0) return
  const said = firstLine(stderr || stdout)
  const hint =
    system === 'windows' ? ' If access was denied, run it once in a terminal of an administrator.' : ''
  throw new CommandError(`\`${words.join(' ')}\` failed: ${said} (exit code ${code}).${hint}`)
}

/** The program's output is this command's. Ctrl-C ends the program, and this command with it. */
function passOn([program = '', ...args]: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
    const wait = () => undefined
    process.on('SIGINT', wait)
    child.once('error', () => reject(new CommandError(`${program} was not found: it shows the log here.`)))
    child.once('exit', (code, signal) => {
      process.off('SIGINT', wait)
      if (code !== 0 && signal === null && code !== 130) process.exitCode = 1
      resolve()
    })
  })
}
