// The streams of every backend at the Ollama door, cut at every byte.

import { doorBackends } from '../contract/door-backends.ts'
import { useDoorBench } from '../contract/door-bench.ts'
import { describeEveryByte } from '../contract/door-bytes.ts'
import { ollamaClient } from './ollama-client.ts'

const bench = useDoorBench()
describeEveryByte(ollamaClient, bench, doorBackends.slice(1))
