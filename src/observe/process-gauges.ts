// Gauges that every process has: a gateway, and the parent of workers.

import { version } from '../base/version.ts'
import type { Metrics } from './metrics.ts'
import { lostLogLines } from './stderr-lines.ts'

export function addProcessGauges(metrics: Metrics): void {
  const startedAt = Date.now() / 1000 - process.uptime()
  metrics.gauges('dragoman_build_info', () => [[{ version, node: process.versions.node }, 1]])
  metrics.gauge('dragoman_start_time_seconds', () => startedAt)
  metrics.gauge('dragoman_resident_memory_bytes', () => process.memoryUsage.rss())
  metrics.counter('dragoman_log_lines_lost_total', lostLogLines)
}
