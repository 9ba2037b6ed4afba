// How real clients show themselves, and how each wants to be answered where that differs from what is usual. Behaviour per
// client is data in this table and in the config's "clients", never an `if` in the code.

export interface ClientTraits {
  /** whole: a tool call is sent once, complete. streamed: its arguments are sent as they come. */
  toolArguments?: 'whole' | 'streamed' | undefined
  /**
   * Calls of tools that take text, on Chat's route. function: as a function whose arguments are the text itself. custom: as
   * OpenAI has them. Undefined: in the form that the request defines the tool in.
   */
  customCalls?: 'function' | 'custom' | undefined
  /** Comments do not keep it waiting: after five minutes without an event it gives up, and asks again. */
  countsEvents?: boolean | undefined
  /** Looks in the listing for models as its own service describes them, and reports an error where the list is missing. */
  wantsOwnModels?: boolean | undefined
  /** An agent: what it asks without tools (titles, summaries) wants none. */
  hasOwnTools?: boolean | undefined
}

interface ClientRow extends ClientTraits {
  name: string
  userAgent: RegExp
}

const rows: readonly ClientRow[] = [
  // Takes a call that is not a function's for no call at all, and reads its ApplyPatch from `function.arguments`.
  {
    name: 'cursor-ide',
    userAgent: /^cursor\//i,
    toolArguments: 'whole',
    customCalls: 'function',
    hasOwnTools: true,
  },
  { name: 'opencode', userAgent: /opencode/i, hasOwnTools: true },
  { name: 'claude-code', userAgent: /claude-(cli|code)/i, hasOwnTools: true },
  { name: 'codex', userAgent: /codex/i, countsEvents: true, wantsOwnModels: true, hasOwnTools: true },
  { name: 'qwen-code', userAgent: /qwen-?code/i, hasOwnTools: true },
  { name: 'cline', userAgent: /cline/i, hasOwnTools: true },
  { name: 'ai-sdk', userAgent: /ai-sdk\//i },
  { name: 'openai-sdk', userAgent: /^OpenAI\// },
]

export const clientNames = rows.map((row) => row.name)

export function clientName(userAgent: string | undefined): string | undefined {
  return userAgent === undefined ? undefined : rows.find((row) => row.userAgent.test(userAgent))?.name
}

/** What the table says of a client, unless the configuration says otherwise. */
export function clientTraits(
  client: string | undefined,
  configured: Pick<ClientTraits, 'toolArguments' | 'customCalls'> | undefined,
): ClientTraits {
  const row = rows.find(({ name }) => name === client)
  return {
    toolArguments: configured?.toolArguments ?? row?.toolArguments,
    customCalls: configured?.customCalls ?? row?.customCalls,
    countsEvents: row?.countsEvents,
    wantsOwnModels: row?.wantsOwnModels,
    hasOwnTools: row?.hasOwnTools,
  }
}
