// The Chat Completions door, as both lines of the official SDK see it.

import { describeDoor, useDoorBench } from '../contract/door.ts'
import { chatClient } from './chat-client.ts'
import { openaiLines } from './sdk-lines.ts'

const bench = useDoorBench()
for (const line of openaiLines) describeDoor(chatClient(line), bench)
