// Settings of the gateway's local tools.

import { z } from 'zod'
import { isLoopback } from '../base/loopback.ts'
import { type System, systemTitles, thisSystem } from '../base/platform/system.ts'
import { localKinds } from '../protocols/local-tools/definitions.ts'

export const execSchema = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe('Run tools in the gateway for clients that send none. Loopback only.'),
  root: z
    .string()
    .min(1, 'must name a folder')
    .default('.')
    .describe('The only folder that these tools can access, relative to this file.'),
  tools: z
    .array(z.enum(localKinds))
    .min(1, 'name at least one; to disable all, set "exec.enabled" to false')
    .default(localKinds.filter((kind) => kind !== 'fetch'))
    .describe('Which tools are offered.'),
  shell: z
    .enum(['sandbox', 'unconfined'])
    .default('sandbox')
    .describe(
      'sandbox: commands run in bubblewrap; without bubblewrap, the tool is not offered. unconfined: commands run with all rights of the user.',
    ),
  network: z.boolean().default(false).describe('Whether commands in the sandbox can use the network.'),
  readable: z
    .array(z.string().min(1, 'must name a folder'))
    .default([])
    .describe('Further folders that commands in the sandbox may read, e.g. a toolchain in the home folder.'),
  timeoutMs: z.int().min(100).max(3_600_000).default(60_000).describe('Timeout of a command.'),
  outputBytes: z
    .int()
    .min(1_024)
    .max(16_777_216)
    .default(1_048_576)
    .describe('Limit of a result; a longer one is cut, and the cut is marked.'),
  maxProcesses: z
    .int()
    .min(16)
    .max(65_536)
    .default(512)
    .describe('Limit of processes and threads of one command.'),
  maxRuns: z.int().min(1).default(100).describe('Limit of tool runs for one answer.'),
  progress: z
    .enum(['reasoning', 'text', 'off'])
    .default('reasoning')
    .describe('How the client sees the progress of tools.'),
})

/** Checked again once `--host` is known. */
export function execProblems(
  { exec, listen }: { exec: z.infer<typeof execSchema>; listen: { host: string } },
  system: System = thisSystem,
): string[] {
  if (!exec.enabled) return []
  if (system !== 'linux')
    return [
      `exec.enabled: local tools work on Linux only, because nothing on ${systemTitles[system]} confines them here; set "exec.enabled" to false`,
    ]
  if (isLoopback(listen.host)) return []
  return [
    `exec.enabled: local tools are for programs on this machine only, but ${listen.host} is reachable from the network; set "exec.enabled" to false, or "listen.host" to 127.0.0.1`,
  ]
}
