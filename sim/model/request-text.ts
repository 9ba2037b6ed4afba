// Finds the user's own words among what agents put around them, and the directory that the agent works in.

/** Blocks that agents add to user messages: for the model to know, not to act on. */
const CONTEXT_TAGS = [
  'system-reminder',
  'system',
  'environment_details',
  'environment_context',
  'user_instructions',
  'INSTRUCTIONS',
  'additional_data',
  'open_and_recently_viewed_files',
]
const CONTEXT = new RegExp(
  [
    ...CONTEXT_TAGS.map((tag) => `<${tag}(?:\\s[^>]*)?>[\\s\\S]*?</${tag}>`),
    '^\\[System message\\]\\n[\\s\\S]*?\\n\\[End of the system message\\]$',
  ].join('|'),
  'gm',
)

export function stripContext(text: string): string {
  const task = /<(?:task|user_query|user_message)>([\s\S]*?)<\/(?:task|user_query|user_message)>/.exec(text)
  const words = (task?.[1] ?? text).replace(CONTEXT, '').trim()
  // OpenCode puts a prompt from its command line in quotes, all of it.
  return /^"([^"]*)"$/.exec(words)?.[1] ?? words
}

/** Of the texts of one message: agents put what they attach beside the user's words, of which the last count now. */
export function wantedText(texts: readonly string[]): string {
  const last = texts.findLastIndex((text) => stripContext(text) !== '')
  return texts.filter((text, index) => index === last || stripContext(text) === '').join('\n')
}

const DIRECTORY = '[`"\']?(/[^\\s`"\'<>,)]*)'
const WORKING_DIRECTORY = [
  /<cwd>\s*(\/[^<\s]*)\s*<\/cwd>/i,
  new RegExp(`working[ _]directory(?:\\s+is)?\\s*[:=(]?\\s*${DIRECTORY}`, 'i'),
  new RegExp(`working (?:in|from) (?:the )?directory\\s*:?\\s*${DIRECTORY}`, 'i'),
  new RegExp(`\\bcwd\\b["']?\\s*(?:is|[:=])\\s*${DIRECTORY}`, 'i'),
  new RegExp(`\\bworkspace(?: root| path| folder| directory)?\\s*(?:is|[:=])\\s*${DIRECTORY}`, 'i'),
]

export function findWorkingDirectory(text: string): string | undefined {
  for (const pattern of WORKING_DIRECTORY) {
    const found = pattern.exec(text)?.[1]?.replace(/(?<=.)[./]$/, '')
    if (found) return found
  }
  return undefined
}
