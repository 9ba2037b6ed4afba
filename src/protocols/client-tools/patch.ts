// Writing and deleting with `apply_patch`, which OpenCode (for GPT models) and Codex offer in place of a write tool.

import { failed, refusal } from './failure.ts'
import type { ClientResult, JobOf, Outcome } from './job.ts'

/**
 * "Add File" replaces an existing file. A patch consists of lines: it cannot leave out the final newline, and OpenCode drops
 * empty lines at the end. So only content with exactly one final newline can be written.
 */
export function patchToWrite({ path, content }: JobOf<'write'>, workspace?: string): string | undefined {
  if (!/[^\n]\n$/.test(content) || content.includes('\r') || /[\r\n]/.test(path)) return undefined
  const lines = content.slice(0, -1).split('\n')
  const added = lines.map((line) => `+${line}`).join('\n')
  return `*** Begin Patch\n*** Add File: ${patchPath(path, workspace)}\n${added}\n*** End Patch`
}

export function patchToDelete({ path }: JobOf<'delete'>, workspace?: string): string | undefined {
  if (/[\r\n]/.test(path)) return undefined
  return `*** Begin Patch\n*** Delete File: ${patchPath(path, workspace)}\n*** End Patch`
}

/** Codex asks for relative paths. */
function patchPath(path: string, workspace: string | undefined): string {
  const base = workspace?.replace(/(?<!\/)\/+$/, '')
  return base !== undefined && path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path
}

export function readPatchResult(kind: 'write' | 'delete', result: ClientResult): Outcome {
  const refused = refusal(result)
  if (refused !== undefined) return refused
  return /^(?:Success|Done)\b|"exit_code":\s*0\b|Exit code: 0\b/i.test(result.text)
    ? { kind }
    : failed(result.text)
}
