// The streams of every backend at the Gemini door, cut at every byte.

import { doorBackends } from '../contract/door-backends.ts'
import { useDoorBench } from '../contract/door-bench.ts'
import { describeEveryByte } from '../contract/door-bytes.ts'
import { geminiClient } from './gemini-client.ts'

const bench = useDoorBench()
describeEveryByte(geminiClient, bench, doorBackends.slice(1))
