// Settings for the check of tool calls.

import { z } from 'zod'
import { type CheckMode, checkModes } from '../protocols/call-check/turn-calls.ts'
import type { BackendConfig, Config } from './schema.ts'

export const callsSchema = z.strictObject({
  check: z
    .enum(checkModes)
    .optional()
    .describe(
      'Tool calls that do not fit: off, note them, repair what needs no guess, or also ask the model once more (retry). Default: repair; retry where calls are text.',
    ),
})

/** How the calls of each backend are checked: its own setting, the global one, or the default of its kind. */
export const checkModesOf = ({ backends, calls }: Config): Map<string, CheckMode> =>
  new Map(
    Object.entries(backends).map(([name, backend]) => [
      name,
      backend.calls?.check ?? calls.check ?? (callsAreText(backend) ? 'retry' : 'repair'),
    ]),
  )

const callsAreText = (backend: BackendConfig) =>
  backend.kind === 'qwen-web' || (backend.kind === 'openai' && backend.tools === 'text')
