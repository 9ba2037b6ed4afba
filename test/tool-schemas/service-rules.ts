// What each service takes in the schemas of tools, by the simulators' own code: it shares nothing with the code that rewrites them.

import { findUnsupportedKeyword } from '../../sim/anthropic/strict-schema.ts'
import { jsonSchemaProblem } from '../../sim/gemini/check-settings.ts'
import {
  gbnfProblem,
  geminiProblem,
  mistralProblem,
  moonshotProblem,
  type SchemaProblem,
  xaiProblem,
  xgrammarProblem,
} from '../../sim/openai/tool-schemas/problems.ts'
import { strictProblem } from '../../sim/openai/tool-schemas/strict.ts'
import { hasRecursion } from '../../sim/openai/tool-schemas/visit.ts'
import type { SubsetName } from '../../src/protocols/tool-schemas/subset.ts'

const anthropicProblem: SchemaProblem = (schema) =>
  findUnsupportedKeyword(schema) ?? (hasRecursion(schema) ? 'Recursive schemas are not supported' : undefined)

export const serviceRules: Record<SubsetName, SchemaProblem> = {
  openai: strictProblem,
  cerebras: strictProblem,
  anthropic: anthropicProblem,
  xgrammar: xgrammarProblem,
  xai: xaiProblem,
  moonshot: moonshotProblem,
  mistral: mistralProblem,
  gemini: geminiProblem,
  'gemini-json': jsonSchemaProblem,
  gbnf: gbnfProblem,
}

export const subsetNames = Object.keys(serviceRules) as SubsetName[]
