// The Responses door, as older lines of the official SDK see it, and the streams of every backend cut at every byte.

import { describeDoor } from '../contract/door.ts'
import { doorBackends } from '../contract/door-backends.ts'
import { useDoorBench } from '../contract/door-bench.ts'
import { describeEveryByte } from '../contract/door-bytes.ts'
import { responsesClient } from './responses-client.ts'
import { openaiLines } from './sdk-lines.ts'

const bench = useDoorBench()
const [newest, ...older] = openaiLines
describeEveryByte(responsesClient(newest), bench, doorBackends.slice(1))
for (const line of older) {
  describeDoor(responsesClient(line), bench)
  describeEveryByte(responsesClient(line), bench, doorBackends)
}
