// The Chat Completions door, as the newest line of the official SDK sees it.

import { describeDoor } from '../contract/door.ts'
import { doorBackends } from '../contract/door-backends.ts'
import { useDoorBench } from '../contract/door-bench.ts'
import { describeEveryByte } from '../contract/door-bytes.ts'
import { chatClient } from './chat-client.ts'
import { openaiLines } from './sdk-lines.ts'

const bench = useDoorBench()
const [newest] = openaiLines
describeDoor(chatClient(newest), bench)
// How the SDK cuts a stream into events does not depend on the backend that it came from: nightly, those of all are read.
describeEveryByte(chatClient(newest), bench, doorBackends.slice(0, 1))
