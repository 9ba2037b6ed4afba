// Early garbage collection of what was read from sockets. The pieces are buffers outside V8's heap, which V8 collects only after
// 64 MiB of them, whatever the process may use. A flood of data would hold that much garbage, so a collection runs earlier.

import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collection = 'minor' | 'major'
type Collect = (options: { type: Collection }) => void

const MiB = 1024 * 1024
let collect: Collect | undefined

function collectEvery(bytes: number, isDue: () => boolean, run: () => void): (bytes: number) => void {
  let counted = 0
  return (more) => {
    counted += more
    if (counted < bytes) return
    counted = 0
    // Later, once the owners have dropped their references.
    setImmediate(() => isDue() && run())
  }
}

function collectNow(type: Collection): void {
  collect ??= findCollect()
  collect({ type })
}

/** Counts the bytes of a piece that was just read. A collection of the young generation takes about 1 ms. */
export const countReadBytes = collectEvery(
  8 * MiB,
  () => true,
  () => collectNow('minor'),
)

/**
 * Counts the bytes of a long body or message that was dropped. Some are in the old generation by then; a collection of all takes long,
 * so it runs only if the memory has grown.
 */
export const countDroppedBytes = collectEvery(
  16 * MiB,
  () => used() > floor + mostGrowth,
  () => {
    collectNow('major')
    floor = used()
  },
)

const mostGrowth = 24 * MiB
/** The least memory since the last collection. */
let floor = Number.POSITIVE_INFINITY

function used(): number {
  const { used_heap_size, external_memory } = getHeapStatistics()
  const bytes = used_heap_size + external_memory
  if (bytes < floor) floor = bytes
  return bytes
}

/** The flag puts `gc` into contexts that are created while it is set, and into no other. */
function findCollect(): Collect {
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  return typeof found === 'function' ? (found as Collect) : () => undefined
}
