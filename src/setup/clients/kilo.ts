// Kilo CLI: OpenCode's configuration under names of its own.

import { join } from 'node:path'
import type { Facts, Plan } from '../plan.ts'
import type { Session } from '../session.ts'
import { providerPlan, sessionContent } from './opencode.ts'

const schema = 'https://app.kilo.ai/config.json'

export function kilo(facts: Facts): Plan {
  const folder = facts.project ? facts.projectFolder : join(facts.configHome, 'kilo')
  // If both files exist, Kilo reads both and the second overrides.
  const commented = join(folder, 'kilo.jsonc')
  const path = facts.exists(commented) ? commented : join(folder, 'kilo.json')
  return providerPlan(facts, { path, start: 'kilo', schema })
}

export const kiloSession = (facts: Facts): Session => sessionContent(facts, 'KILO_CONFIG_CONTENT', schema)
