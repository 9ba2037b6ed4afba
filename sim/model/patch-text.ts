// Changes in the patch format of Codex's and OpenCode's apply_patch.

export function addPatch(path: string, text: string): string {
  return envelope([`*** Add File: ${path}`, ...linesOf(text).map((line) => `+${line}`)])
}

/** All old lines go, all new ones come. */
export function updatePatch(path: string, before: string, after: string): string {
  return envelope([
    `*** Update File: ${path}`,
    '@@',
    ...linesOf(before).map((line) => `-${line}`),
    ...linesOf(after).map((line) => `+${line}`),
  ])
}

function envelope(lines: readonly string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n')
}
