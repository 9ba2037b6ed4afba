// Finds the user's own words among what agents put around them, and the directory that the agent works in.

import { cutBlocks } from './blocks-out.ts'

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
  'info-msg',
]
const CONTEXT = new RegExp(`<(${CONTEXT_TAGS.join('|')})(?:\\s[^<>]*)?>`, 'g')
const SYSTEM = /^\[System message\]\n/gm
const TASK = /<(?:task|user_query|user_message)>/
const TASK_END = /<\/(?:task|user_query|user_message)>/

export function stripContext(text: string): string {
  const rest = cutBlocks(taskIn(text) ?? text, CONTEXT, ([, tag]) => `</${tag}>`)
  const words = cutBlocks(rest, SYSTEM, () => '\n[End of the system message]').trim()
  // OpenCode puts a prompt from its command line in quotes, all of it.
  return /^"([^"]*)"$/.exec(words)?.[1] ?? words
}

function taskIn(text: string): string | undefined {
  const begin = TASK.exec(text)
  if (!begin) return undefined
  const task = text.slice(begin.index + begin[0].length)
  const end = TASK_END.exec(task)
  return end ? task.slice(0, end.index) : undefined
}

/** Of the texts of one message: agents put what they attach beside the user's words, of which the last count now. */
export function wantedText(texts: readonly string[]): string {
  const last = texts.findLastIndex((text) => stripContext(text) !== '')
  return texts.filter((text, index) => index === last || stripContext(text) === '').join('\n')
}

const DIRECTORY = '[`"\']?(/[^\\s`"\'<>,)]*)'
const WORKING_DIRECTORY = [
  /<cwd>\s*(\/[^<\s]*)\s*<\/cwd>/i,
  new RegExp(`working[ _]directory(?:\\s+is)?\\s*(?:[:=(]\\s*)?${DIRECTORY}`, 'i'),
  new RegExp(`working (?:in|from) (?:the )?directory\\s*(?::\\s*)?${DIRECTORY}`, 'i'),
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
