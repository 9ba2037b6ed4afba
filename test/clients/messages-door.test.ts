// The Messages door, as both lines of the official SDK see it.

import { describeDoor, useDoorBench } from '../contract/door.ts'
import { messagesClient } from './messages-client.ts'
import { anthropicLines } from './sdk-lines.ts'

const bench = useDoorBench()
for (const line of anthropicLines) describeDoor(messagesClient(line), bench)
