// Reports problems through OpenCode, because the plugin must not write to its terminal.

import { parseJson } from '../base/json.ts'
import type { HostClient, HostLevel } from './host.ts'

export interface Report {
  /** Writes to OpenCode's log. */
  log(level: HostLevel, message: string, extra?: Record<string, unknown>): void
  /** Writes to the log and shows a toast, once for each message. */
  problem(message: string): void
  /** Takes a scrubbed log line of the gateway. */
  line(line: string): void
}

export function createReport(client: HostClient | undefined): Report {
  const log: Report['log'] = (level, message, extra) =>
    quietly(() =>
      client?.app?.log?.({ body: { service: 'dragoman', level, message, ...(extra ? { extra } : {}) } }),
    )
  const reported = new Set<string>()
  return {
    log,
    problem(message) {
      if (reported.has(message)) return
      reported.add(message)
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

/** Does not wait, and ignores errors of the log. */
function quietly(tell: () => unknown): void {
  try {
    Promise.resolve(tell()).catch(() => undefined)
  } catch {
    // Ignored as well.
  }
}
