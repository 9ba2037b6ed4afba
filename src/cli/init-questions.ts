// The questions of `dragoman init`, in plain words: which backends, one more, which clients.

import { bareKey } from '../config/key-forms.ts'
import { CommandError } from '../process/command-error.ts'
import type { LaunchClientName } from '../setup/client-names.ts'
import { setupClients } from '../setup/clients.ts'
import type { FoundBackend } from '../setup/found-backends.ts'
import { namedBackend } from './named-backends.ts'
import type { Terminal } from './setup-terminal.ts'

interface Questions {
  terminal: Terminal
  variable(name: string): string | undefined
}

export async function askForBackends(
  found: readonly FoundBackend[],
  questions: Questions,
): Promise<FoundBackend[]> {
  const { terminal } = questions
  const list = found.map(({ title, where }) => `${title} (${where})`)
  const chosen = await askForSome(terminal, { list, heading: 'Found:', question: 'Use which?', usual: 'all' })
  const all = chosen.map((at) => found[at] as FoundBackend)
  if (found.length === 0) terminal.err('No key, login or server was found on this machine.\n')
  for (;;) {
    const more = await askForAnother(questions, all.length === 0 ? 'Which service?' : 'Another service?')
    if (more === undefined) return all
    all.push(more)
  }
}

/** A typed key is written into the file, which only its owner reads. */
async function askForAnother(
  { terminal, variable }: Questions,
  question: string,
): Promise<FoundBackend | undefined> {
  for (;;) {
    const word = (await terminal.ask(`${question} Its name or its address; Enter to go on: `)).trim()
    if (word === '') return undefined
    const named = understood(word, { terminal, variable })
    // Not among what is asked again: Ctrl-C at the key ends the command.
    if (named) return withKey(named, terminal)
  }
}

function understood(word: string, { terminal, variable }: Questions): FoundBackend | undefined {
  try {
    return namedBackend(/^https?:/i.test(word) ? `openai=${word}` : word, variable)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    terminal.err(`${error.message}\n`)
    return undefined
  }
}

async function withKey(backend: FoundBackend, terminal: Terminal): Promise<FoundBackend> {
  const { settings, missing, title } = backend
  const isKeyKnown = settings.kind === 'cursor' || (settings.apiKey !== undefined && missing === undefined)
  if (isKeyKnown) return backend
  const without = missing === undefined ? 'without one' : `to take it from ${missing}`
  const typed = (await terminal.askSecret(`Its key for ${title}; Enter ${without}: `)).trim()
  const key = bareKey(typed)
  if (key === '') return backend
  if (key !== typed) terminal.err('Quotes or "Bearer" around the key were left out.\n')
  const { missing: _typed, ...rest } = backend
  return { ...rest, settings: { ...settings, apiKey: key } }
}

export async function askForClients(
  installed: readonly LaunchClientName[],
  terminal: Terminal,
): Promise<LaunchClientName[]> {
  const list = installed.map((name) => setupClients[name].title)
  const heading = '\nInstalled clients. `setup` points one at this gateway for good, and can be undone:'
  const chosen = await askForSome(terminal, { list, heading, question: 'Set up which?', usual: 'none' })
  return chosen.map((at) => installed[at] as LaunchClientName)
}

interface Choice {
  list: readonly string[]
  heading: string
  question: string
  usual: 'all' | 'none'
}

/** The positions that the user chose. */
async function askForSome(terminal: Terminal, { list, heading, question, usual }: Choice): Promise<number[]> {
  if (list.length === 0) return []
  terminal.err(`${heading}\n`)
  for (const [at, text] of list.entries()) terminal.err(`${String(at + 1).padStart(3)}  ${text}\n`)
  for (;;) {
    const answer = (await terminal.ask(`${question} Numbers, all or none [${usual}] `)).trim() || usual
    if (/^n(one)?$/i.test(answer)) return []
    if (/^a(ll)?$/i.test(answer)) return list.map((_text, at) => at)
    const numbers = answer.split(/[\s,]+/).map(Number)
    if (numbers.every((number) => list[number - 1] !== undefined)) return numbers.map((number) => number - 1)
    terminal.err(`Numbers from 1 to ${list.length}, such as 1,2.\n`)
  }
}
