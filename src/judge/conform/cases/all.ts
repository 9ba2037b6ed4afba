// The list.

import type { Case } from '../case.ts'
import { callCases } from './calls.ts'
import { endCases } from './ends.ts'
import { failureCases } from './failures.ts'
import { oddityCases } from './oddities.ts'
import { plainAnswerCases } from './plain.ts'
import { requestCases } from './requests.ts'
import { streamCases } from './streams.ts'
import { toolLoopCases } from './tool-loop.ts'
import { translationCases } from './translations.ts'

export const allCases: readonly Case[] = [
  ...plainAnswerCases,
  ...toolLoopCases,
  ...callCases,
  ...endCases,
  ...streamCases,
  ...requestCases,
  ...translationCases,
  ...failureCases,
  ...oddityCases,
]
