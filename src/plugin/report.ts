// What the user should know, told to OpenCode: its terminal is not ours to write to.

import { parseJson } from '../base/json.ts'
import type { HostClient, HostLevel } from './host.ts'

export interface Report {
  /** Into OpenCode's log. */
  log(level: HostLevel, message: string, extra?: Record<string, unknown>): void
  /** Into its log and onto the screen, once. */
  problem(message: string): void
  /** A line as the gateway writes it, scrubbed. */
  line(line: string): void
}

export function createReport(client: HostClient | undefined): Report {
  const log: Report['log'] = (level, message, extra) =>
    quietly(() =>
      client?.app?.log?.({ body: { service: 'dragoman', level, message, ...(extra ? { extra } : {}) } }),
    )
  const said = new Set<string>()
  return {
    log,
    problem(message) {
      if (said.has(message)) return
      said.add(message)
      log('error', message)
      quietly(() => client?.tui?.showToast?.({ body: { title: 'Dragoman', message, variant: 'error' } }))
    },
    line(line) {
      const { level, message, time: _time, ...extra } = (parseJson(line) ?? {}) as Record<string, unknown>
      log(isLevel(level) ? level : 'warn', String(message ?? line), extra)
    },
  }
}

const isLevel = (level: unknown): level is HostLevel =>
  level === 'debug' || level === 'info' || level === 'warn' || level === 'error'

/** Whatever becomes of it: nobody waits, and a log that fails is no failure. */
function quietly(tell: () => unknown): void {
  try {
    Promise.resolve(tell()).catch(() => undefined)
  } catch {
    // As above.
  }
}
