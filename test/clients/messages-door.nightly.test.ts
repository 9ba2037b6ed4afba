// The Messages door, as older lines of the official SDK see it, and the streams of every backend cut at every byte.

import { describeDoor } from '../contract/door.ts'
import { doorBackends } from '../contract/door-backends.ts'
import { useDoorBench } from '../contract/door-bench.ts'
import { describeEveryByte } from '../contract/door-bytes.ts'
import { messagesClient } from './messages-client.ts'
import { anthropicLines } from './sdk-lines.ts'

const bench = useDoorBench()
const [newest, ...older] = anthropicLines
describeEveryByte(messagesClient(newest), bench, doorBackends.slice(1))
for (const line of older) {
  describeDoor(messagesClient(line), bench)
  describeEveryByte(messagesClient(line), bench, doorBackends)
}
