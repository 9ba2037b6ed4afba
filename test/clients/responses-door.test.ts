// The Responses door, as both lines of the official SDK see it.

import { describeDoor } from '../contract/door.ts'
import { doorBackends } from '../contract/door-backends.ts'
import { useDoorBench } from '../contract/door-bench.ts'
import { describeEveryByte } from '../contract/door-bytes.ts'
import { responsesClient } from './responses-client.ts'
import { openaiLines } from './sdk-lines.ts'

const bench = useDoorBench()
for (const [at, line] of openaiLines.entries()) {
  describeDoor(responsesClient(line), bench)
  // What a door writes does not depend on who reads it: each line reads the streams of half of the backends.
  const backends = doorBackends.filter((_, index) => index % openaiLines.length === at)
  describeEveryByte(responsesClient(line), bench, backends)
}
