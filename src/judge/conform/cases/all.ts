// The list of conformance cases. Its order is that of the reports and of docs/conformance.md.

import type { Case } from '../case.ts'
import { acceptedCases } from './accepted.ts'
import { brokenEndCases } from './broken-ends.ts'
import { callContentCases } from './call-contents.ts'
import { callNumberingCases } from './call-numbering.ts'
import { endReasonCases } from './end-reasons.ts'
import { failureCases } from './failures.ts'
import { historyCases } from './histories.ts'
import { misfitCases } from './misfits.ts'
import { mixedDialectCases } from './mixed-dialects.ts'
import { oddityCases } from './oddities.ts'
import { refusalCases } from './refusals.ts'
import { repeatedIdCases } from './repeated-ids.ts'
import { sameDialectCases } from './same-dialect.ts'
import { settingCases } from './settings.ts'
import { shapeCases } from './shapes.ts'
import { streamCases } from './streams.ts'
import { thinkingCases } from './thinking.ts'
import { toolLoopCases } from './tool-loop.ts'
import { translationCases } from './translations.ts'

export const allCases: readonly Case[] = [
  ...refusalCases,
  ...acceptedCases,
  ...shapeCases,
  ...toolLoopCases,
  ...callNumberingCases,
  ...callContentCases,
  ...repeatedIdCases,
  ...misfitCases,
  ...endReasonCases,
  ...brokenEndCases,
  ...streamCases,
  ...historyCases,
  ...settingCases,
  ...mixedDialectCases,
  ...thinkingCases,
  ...translationCases,
  ...sameDialectCases,
  ...failureCases,
  ...oddityCases,
]
