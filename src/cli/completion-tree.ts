// What a shell can complete, taken from the commands themselves.

import type { Command, Option } from 'commander'

export interface Suggestion {
  word: string
  /** One line. */
  about: string
}

/** What may follow an option or stand as an argument. `models`: the names of the configuration. */
export type Values = { words: readonly string[] } | 'files' | 'models' | 'anything'

export interface CompletedOption {
  names: readonly string[]
  about: string
  /** Absent for a switch. */
  values?: Values
}

/** A command. Its place is the way to it: `/tape/show`, empty for the program itself. */
export interface CompletedCommand {
  place: string
  commands: readonly Suggestion[]
  options: readonly CompletedOption[]
  /** Of the first argument. */
  values?: Values
}

export function completedCommands(command: Command, place = ''): CompletedCommand[] {
  const help = command.createHelp()
  const [first] = command.registeredArguments
  const commands = help.visibleCommands(command)
  const own: CompletedCommand = {
    place,
    commands: commands.map((one) => ({ word: one.name(), about: lineOf(one.description()) })),
    options: help.visibleOptions(command).map(completedOption),
    ...(first ? { values: valuesOf(first.name(), first.argChoices) } : {}),
  }
  return [own, ...command.commands.flatMap((one) => completedCommands(one, `${place}/${one.name()}`))]
}

function completedOption(option: Option): CompletedOption {
  const { short, long, description, flags, argChoices } = option
  const [, value] = /[<[]([^>\].]+)/.exec(flags) ?? []
  const names = [short, long].filter((name) => name !== undefined)
  return {
    names,
    about: lineOf(description),
    ...(value === undefined ? {} : { values: valuesOf(long === '--model' ? 'model' : value, argChoices) }),
  }
}

const pathNames = new Set(['file', 'folder', 'tape', 'tapes', 'a', 'b'])

function valuesOf(name: string, choices: readonly string[] | undefined): Values {
  if (choices) return { words: choices }
  if (name === 'model') return 'models'
  return pathNames.has(name) ? 'files' : 'anything'
}

const lineOf = (text: string) => text.split('\n', 1)[0] ?? ''
