// The Gemini door, as the official SDK sees it.

import { describeDoor } from '../contract/door.ts'
import { doorBackends } from '../contract/door-backends.ts'
import { useDoorBench } from '../contract/door-bench.ts'
import { describeEveryByte } from '../contract/door-bytes.ts'
import { geminiClient } from './gemini-client.ts'

const bench = useDoorBench()
describeDoor(geminiClient, bench)
describeEveryByte(geminiClient, bench, doorBackends.slice(0, 1))
