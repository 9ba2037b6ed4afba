// How real clients show themselves. Behaviour per client is data keyed by these names (config "clients"), never an `if`
// in the code.

interface ClientRow {
  name: string
  userAgent: RegExp
}

const rows: readonly ClientRow[] = [
  { name: 'cursor-ide', userAgent: /^cursor\//i },
  { name: 'opencode', userAgent: /opencode/i },
  { name: 'claude-code', userAgent: /claude-(cli|code)/i },
  { name: 'codex', userAgent: /codex/i },
  { name: 'qwen-code', userAgent: /qwen-?code/i },
  { name: 'cline', userAgent: /cline/i },
  { name: 'ai-sdk', userAgent: /ai-sdk\//i },
  { name: 'openai-sdk', userAgent: /^OpenAI\// },
]

export const clientNames = rows.map((row) => row.name)

export function clientName(userAgent: string | undefined): string | undefined {
  return userAgent === undefined ? undefined : rows.find((row) => row.userAgent.test(userAgent))?.name
}
