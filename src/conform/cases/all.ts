// The list.

import type { Case } from '../case.ts'
import { callCases } from './calls.ts'
import { endCases } from './ends.ts'
import { failureCases } from './failures.ts'
import { plainAnswerCases } from './plain.ts'
import { requestCases } from './requests.ts'
import { streamCases } from './streams.ts'
import { toolLoopCases } from './tool-loop.ts'

export const allCases: readonly Case[] = [
  ...plainAnswerCases,
  ...toolLoopCases,
  ...callCases,
  ...endCases,
  ...streamCases,
  ...requestCases,
  ...failureCases,
]
