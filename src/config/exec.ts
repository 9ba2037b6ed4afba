// The part of the configuration that lets the gateway run tools itself.

import { z } from 'zod'
import { isLoopback } from '../base/loopback.ts'
import { localKinds } from '../protocols/local-tools/definitions.ts'

export const execSchema = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe('Clients that send no tools get an agent: the gateway runs tools itself. Loopback only.'),
  root: z
    .string()
    .min(1, 'must name a folder')
    .default('.')
    .describe('The one folder that those tools see, relative to this file.'),
  tools: z
    .array(z.enum(localKinds))
    .min(1, 'name at least one; to have none, set "exec.enabled" to false')
    .default(localKinds.filter((kind) => kind !== 'fetch'))
    .describe('Which tools are offered.'),
  shell: z
    .enum(['sandbox', 'unconfined'])
    .default('sandbox')
    .describe(
      'sandbox: commands run in bubblewrap, and are not offered where it is missing. unconfined: they run with all rights of the user.',
    ),
  network: z.boolean().default(false).describe('Whether commands in the sandbox reach the network.'),
  readable: z
    .array(z.string().min(1, 'must name a folder'))
    .default([])
    .describe('Further folders that commands in the sandbox may read, e.g. a toolchain in the home folder.'),
  timeoutMs: z.int().min(100).max(3_600_000).default(60_000).describe('How long a command may take.'),
  outputBytes: z
    .int()
    .min(1_024)
    .max(16_777_216)
    .default(1_048_576)
    .describe('How much of a result is kept; the cut is marked.'),
  maxProcesses: z
    .int()
    .min(16)
    .max(65_536)
    .default(512)
    .describe('Processes and threads of one command at once.'),
  maxRuns: z.int().min(1).default(100).describe('Tool runs for one answer.'),
  progress: z
    .enum(['reasoning', 'text', 'off'])
    .default('reasoning')
    .describe('How the client is shown what is being done.'),
})

/** Looked at again once `--host` is known. */
export function execProblems({
  exec,
  listen,
}: {
  exec: z.infer<typeof execSchema>
  listen: { host: string }
}): string[] {
  if (!exec.enabled || isLoopback(listen.host)) return []
  return [
    `exec.enabled: tools are run for this machine's own programs alone, and ${listen.host} is reachable from the network; set "exec.enabled" to false, or "listen.host" to 127.0.0.1`,
  ]
}
