// The script for fish, with descriptions.

import type { CompletedCommand, CompletedOption, Values } from './completion-tree.ts'
import { quoted as quotedForShells } from './completion-words.ts'

/** In fish a backslash escapes inside single quotes. */
const quoted = (text: string) => quotedForShells(text.replaceAll('\\', '\\\\')).replaceAll("'\\''", "\\'")

export function fishScript(commands: readonly CompletedCommand[]): string {
  const places = commands.map(({ place }) => place).filter(Boolean)
  return `# Completion of dragoman for fish:
#   dragoman completion fish > ~/.config/fish/completions/dragoman.fish
function __dragoman_place
  set -l place ''
  for word in (commandline -opc)[2..-1]
    switch "$place/$word"
      case ${places.map(quoted).join(' ')}
        set place "$place/$word"
    end
  end
  echo "$place"
end
complete -c dragoman -f
${commands.flatMap(linesOf).join('\n')}
`
}

function linesOf({ place, commands, options, values }: CompletedCommand): string[] {
  const here = `complete -c dragoman -n ${quoted(`test (__dragoman_place) = "${place}"`)}`
  return [
    ...commands.map(({ word, about }) => `${here} -a ${quoted(word)} -d ${quoted(about)}`),
    ...options.map((option) => `${here} ${optionWords(option)}`),
    ...(values === undefined || values === 'anything' ? [] : [`${here} ${valueWords(values)}`]),
  ]
}

function optionWords({ names, about, values }: CompletedOption): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  const value = values === undefined ? [] : ['-r', ...(values === 'anything' ? [] : [valueWords(values)])]
  return [...flags, ...value, '-d', quoted(about)].join(' ')
}

function valueWords(values: Exclude<Values, 'anything'>): string {
  if (values === 'files') return '-F'
  return `-a ${quoted(values === 'models' ? '(dragoman completion models 2>/dev/null)' : values.words.join(' '))}`
}
