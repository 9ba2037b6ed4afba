// The Responses door, as both lines of the official SDK see it.

import { describeDoor, useDoorBench } from '../contract/door.ts'
import { responsesClient } from './responses-client.ts'
import { openaiLines } from './sdk-lines.ts'

const bench = useDoorBench()
for (const line of openaiLines) describeDoor(responsesClient(line), bench)
