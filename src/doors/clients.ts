// Known clients: their user agents, and how their answers differ from the default. Behaviour per client is data in this table and
// in the configuration's "clients", never an `if` in the code.

export interface ClientTraits {
  /** whole: a tool call is sent once, complete. streamed: its arguments are sent as they arrive. */
  toolArguments?: 'whole' | 'streamed' | undefined
  /**
   * Form of calls of custom (text) tools in Chat Completions. function: a function call whose arguments are the text itself.
   * custom: OpenAI's own form. Undefined: the form in which the request defines the tool.
   */
  customCalls?: 'function' | 'custom' | undefined
  /** Expects its own service's `models` list in the model listing, and reports an error without it. */
  wantsOwnModels?: boolean | undefined
  /** Asks a 5xx ten times or more, whatever the headers say: an error that a retry cannot mend is a 400. */
  repeatsServerErrors?: boolean | undefined
  /** Its menu of models shows only these ids. */
  modelIds?: RegExp | undefined
  /** Asks every other refusal several times too, but for a 400; and it shows the words of a 400, not those of a 429. */
  repeatsRefusals?: boolean | undefined
  /**
   * Of a failure that a retry may mend, it shows the words and keeps to the time only inside the stream, as a rate limit: six requests.
   * A 5xx costs thirty, and the words of a 429 are lost.
   */
  failsInStream?: boolean | undefined
  /** Does not show refusal parts: a refusal is text. */
  hidesRefusals?: boolean | undefined
  /** The user agents under which it retries an absent backend for minutes, and shows nothing. */
  silentAs?: RegExp | undefined
  /** An agent with its own tools: its requests without tools (titles, summaries) need none. */
  hasOwnTools?: boolean | undefined
  /** It has background tasks (titles, summaries): its requests without tools, and all for models with such a name. */
  smallModel?: RegExp | undefined
}

interface ClientRow extends ClientTraits {
  name: string
  userAgent: RegExp
}

const rows: readonly ClientRow[] = [
  // Ignores calls that are not function calls, and reads ApplyPatch from `function.arguments`.
  {
    name: 'cursor-ide',
    userAgent: /^cursor\//i,
    toolArguments: 'whole',
    customCalls: 'function',
    hasOwnTools: true,
  },
  { name: 'opencode', userAgent: /opencode/i, hasOwnTools: true },
  {
    name: 'claude-code',
    userAgent: /claude-(cli|code)/i,
    modelIds: /claude|anthropic/i,
    // Headless: `claude-cli/2.1.325 (external, sdk-cli)`. On a terminal it counts its retries down.
    silentAs: /\bsdk-cli\b/,
    hasOwnTools: true,
    smallModel: /haiku/i,
  },
  {
    name: 'codex',
    userAgent: /codex/i,
    wantsOwnModels: true,
    repeatsServerErrors: true,
    repeatsRefusals: true,
    failsInStream: true,
    hidesRefusals: true,
    hasOwnTools: true,
  },
  {
    name: 'gemini-cli',
    userAgent: /^GeminiCLI/,
    toolArguments: 'whole',
    repeatsServerErrors: true,
    hasOwnTools: true,
  },
  { name: 'qwen-code', userAgent: /qwen-?code/i, hasOwnTools: true },
  { name: 'cline', userAgent: /cline/i, hasOwnTools: true },
  { name: 'kilo', userAgent: /^Kilo-Code\//, hasOwnTools: true },
  { name: 'kimi', userAgent: /^kimi-code-cli\//i, hasOwnTools: true },
  { name: 'grok-build', userAgent: /^grok-shell\//, hasOwnTools: true },
  { name: 'ai-sdk', userAgent: /ai-sdk\//i },
  { name: 'openai-sdk', userAgent: /^OpenAI\// },
]

export const clientNames = rows.map((row) => row.name)

export function clientName(userAgent: string | undefined): string | undefined {
  return userAgent === undefined ? undefined : rows.find((row) => row.userAgent.test(userAgent))?.name
}

/** The table's row of a client; the configuration overrides it. */
export function clientTraits(
  client: string | undefined,
  configured: Pick<ClientTraits, 'toolArguments' | 'customCalls'> | undefined,
): ClientTraits {
  const row = rows.find(({ name }) => name === client)
  return {
    toolArguments: configured?.toolArguments ?? row?.toolArguments,
    customCalls: configured?.customCalls ?? row?.customCalls,
    wantsOwnModels: row?.wantsOwnModels,
    repeatsServerErrors: row?.repeatsServerErrors,
    modelIds: row?.modelIds,
    repeatsRefusals: row?.repeatsRefusals,
    failsInStream: row?.failsInStream,
    hidesRefusals: row?.hidesRefusals,
    silentAs: row?.silentAs,
    hasOwnTools: row?.hasOwnTools,
    smallModel: row?.smallModel,
  }
}
