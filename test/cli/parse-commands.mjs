// Parses command lines with the program's own commands, and runs none of them. Reads a JSON list of argument lists from standard
// input; writes `{ problems, tree }`: what is wrong with each, or null, and the names of all commands and options.

import { readFileSync } from 'node:fs'
import { createProgram } from '../../build/src/cli/program.js'

const lines = JSON.parse(readFileSync(0, 'utf8'))
const root = createProgram()

function disarm(command) {
  command.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
  if (command.commands.length === 0) command.action(() => undefined)
  for (const below of command.commands) disarm(below)
}

const treeOf = (command) => ({
  options: command.options.flatMap(({ short, long }) => [short, long]).filter((name) => Boolean(name)),
  commands: Object.fromEntries(command.commands.map((below) => [below.name(), treeOf(below)])),
})

function problemOf(args) {
  try {
    root.parse(args, { from: 'user' })
    return null
  } catch (error) {
    return error.exitCode === 0 ? null : error.message
  }
}

disarm(root)
process.stdout.write(JSON.stringify({ problems: lines.map(problemOf), tree: treeOf(root) }))
