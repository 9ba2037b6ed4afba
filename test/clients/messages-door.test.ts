// The Messages door, as both lines of the official SDK see it.

import { describeDoor } from '../contract/door.ts'
import { doorBackends } from '../contract/door-backends.ts'
import { useDoorBench } from '../contract/door-bench.ts'
import { describeEveryByte } from '../contract/door-bytes.ts'
import { messagesClient } from './messages-client.ts'
import { anthropicLines } from './sdk-lines.ts'

const bench = useDoorBench()
for (const [at, line] of anthropicLines.entries()) {
  describeDoor(messagesClient(line), bench)
  // What a door writes does not depend on who reads it: each line reads the streams of half of the backends.
  const backends = doorBackends.filter((_, index) => index % anthropicLines.length === at)
  describeEveryByte(messagesClient(line), bench, backends)
}
