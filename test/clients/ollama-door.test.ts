// The Ollama door, as the official package sees it.

import { describeDoor } from '../contract/door.ts'
import { doorBackends } from '../contract/door-backends.ts'
import { useDoorBench } from '../contract/door-bench.ts'
import { describeEveryByte } from '../contract/door-bytes.ts'
import { ollamaClient } from './ollama-client.ts'

const bench = useDoorBench()
describeDoor(ollamaClient, bench)
describeEveryByte(ollamaClient, bench, doorBackends.slice(0, 1))
