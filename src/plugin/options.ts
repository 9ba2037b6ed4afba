// The plugin's options: the second element of its entry in opencode.json, `["dragoman-gateway", { … }]`.

import { z } from 'zod'
import { GatewayError } from '../core/errors.ts'

/** Checked later, like the backends of a configuration. */
const backendSettings = z.record(z.string(), z.unknown()).default({})

export const optionsSchema = z.strictObject({
  config: z
    .union([z.string().min(1), z.literal(false)])
    .optional()
    .describe('A configuration file; false: none, not even the one in its usual place.'),
  cursor: backendSettings.describe('Settings of the backend, as in a configuration: baseUrl, transport, …'),
  anthropic: backendSettings,
  openai: backendSettings,
})

export type PluginOptions = z.infer<typeof optionsSchema>

/** Concerns all providers. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError'

  constructor(problem: string) {
    super(`The plugin's options cannot be used: ${problem}`)
  }
}

/** Throws an OptionsError that names the option. */
export function parseOptions(options: Record<string, unknown> | undefined): PluginOptions {
  const result = optionsSchema.safeParse(options ?? {})
  if (result.success) return result.data
  const problems = result.error.issues.map(({ path, message }) => [...path, message].join(': '))
  throw new OptionsError(problems.join('; '))
}

/** What the user reads of a provider that cannot be had. */
export function problemOf(provider: string, error: unknown): string {
  const message = error instanceof Error ? error.message : GatewayError.from(error).message
  return error instanceof OptionsError ? message : `${provider}: ${message}`
}
