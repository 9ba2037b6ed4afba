// Checks for every fault: no uncaught error, nothing left open, and the next request works.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Gateway } from '../../src/gateway.ts'
import { watchProcess } from '../end-to-end/wire.ts'
import type { DoorName } from './doors.ts'
import { doorNames } from './doors.ts'

/** Alternates doors and forms, so a table of faults covers all eight. */
export function rotation(): () => { door: DoorName; stream: boolean } {
  let next = 0
  return () => {
    const at = next++
    const round = Math.floor(at / doorNames.length)
    return { door: doorNames[at % doorNames.length] as DoorName, stream: (at + round) % 2 === 0 }
  }
}

/** Resources that hold the process, by kind. */
function resources(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

async function gauges(gateway: Gateway): Promise<Record<string, number>> {
  const text = await (await gateway.fetch(new Request('http://127.0.0.1/metrics'))).text()
  const read = (name: string) => Number(new RegExp(`^dragoman_${name} (\\S+)$`, 'm').exec(text)?.[1])
  return {
    // The question itself is one of the requests.
    requests: read('active_requests') - 1,
    answering: read('sessions_answering'),
    waiting: read('sessions_waiting'),
  }
}

export interface Watch {
  /** After a warm-up: connections that are kept are open, code is loaded. */
  mark(): void
  /** Nothing more is held than then, and nothing is uncaught. */
  expectNothingLeft(gateway?: Gateway): Promise<void>
}

/** Long enough for a run's last second of grace, and for a machine that is busy. */
const patienceMs = 30_000

/** For a `describe` or a file. */
export function useWatch(): Watch {
  let watched: ReturnType<typeof watchProcess> | undefined
  let baseline = new Map<string, number>()
  beforeAll(() => {
    watched = watchProcess()
  })
  afterAll(() => watched?.stop())
  return {
    mark: () => {
      baseline = resources()
    },
    async expectNothingLeft(gateway) {
      const deadline = Date.now() + patienceMs
      for (;;) {
        const more = [...resources()].filter(([kind, count]) => count > (baseline.get(kind) ?? 0))
        const held = gateway ? Object.entries(await gauges(gateway)).filter(([, count]) => count > 0) : []
        const left = [...more, ...held]
        if (left.length === 0) break
        if (Date.now() > deadline) expect(left).toEqual([])
        await sleep(5)
      }
      expect(watched?.stray).toEqual([])
    },
  }
}
