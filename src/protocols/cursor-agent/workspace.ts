// The client's working directory, found in the system prompts of known agents.

// Adjacent parts of a pattern never match the same characters, and what may fail late is bounded: prompts hold foreign text, and none
// may cause slow matching.
const patterns: readonly RegExp[] = [
  // OpenCode, Claude Code and many after them: an environment block.
  /\bworking directory(?: \(cwd\))?:\s*`?((?:\/|[A-Za-z]:\\)[^\n`<]*)/i,
  // Codex: <cwd>/path</cwd>
  /<cwd>\s*((?:\/|[A-Za-z]:\\)[^<\n]{1,4096})\n?<\/cwd>/i,
  // Qwen Code and Gemini CLI.
  /(?:currently working in the directory|current working directory is|working in the directory):?\s*`?((?:\/|[A-Za-z]:\\)[^\n`]*)/i,
  // Cline and Roo: "Current Working Directory (/path)".
  /current working directory \(((?:\/|[A-Za-z]:\\)[^)\n]{1,1000})\)/i,
  // Cursor-like: "workspace path … is /path".
  /workspace (?:path|root|folder)[^\n/]{0,60}?(?:is|:)\s*`?((?:\/|[A-Za-z]:\\)[^\n`]*)/i,
]

/** Prompts are long; the directory is near the beginning of a text. */
const longestText = 200_000

export function findWorkspace(texts: Iterable<string>): string | undefined {
  for (const text of texts) {
    for (const pattern of patterns) {
      const found = pattern
        .exec(text.slice(0, longestText))?.[1]
        ?.trim()
        .replace(/[.,;]$/, '')
      if (found !== undefined && found !== '') return found
    }
  }
  return undefined
}
