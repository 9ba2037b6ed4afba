// Parts for tests of several instances: a log that is kept, a way to wait for Redis to have its turn.

import type { Log } from '../src/observe/log.ts'

export const peerSecret = 'peer-secret-canary-0123456789abcdef'

export interface KeptLog extends Log {
  lines: { level: string; message: string; fields: Record<string, unknown> | undefined }[]
  count(level: string, pattern: RegExp): number
}

export function keptLog(): KeptLog {
  const lines: KeptLog['lines'] = []
  const at = (level: string) => (message: string, fields?: Record<string, unknown>) =>
    void lines.push({ level, message, fields })
  return {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    count: (level, pattern) =>
      lines.filter((line) => line.level === level && pattern.test(line.message)).length,
  }
}
