// The script for bash, also for version 3.2 of macOS.

import type { CompletedCommand, Values } from './completion-tree.ts'
import { quoted } from './completion-words.ts'

export function bashScript(commands: readonly CompletedCommand[]): string {
  const places = commands.map(({ place }) => place).filter(Boolean)
  const values = commands.flatMap(({ place, options }) =>
    options.flatMap(({ names, values }) =>
      values === undefined
        ? []
        : [`    ${names.map((name) => quoted(`${place} ${name}`)).join('|')}) ${action(values)}; return ;;`],
    ),
  )
  const words = commands.map(({ place, commands: below, options, values }) => {
    const own = [...below.map(({ word }) => word), ...options.flatMap(({ names }) => names)]
    return `    ${quoted(place)}) ${own.length === 0 ? ':' : `__dragoman_words ${quoted(own.join(' '))}`}; ${values === undefined ? ':' : action(values)} ;;`
  })
  return `# Completion of dragoman for bash:
#   dragoman completion bash > ~/.local/share/bash-completion/completions/dragoman
__dragoman_words() {
  local word
  for word in $1; do
    case "$word" in "$current"*) COMPREPLY+=("$word") ;; esac
  done
}
__dragoman_files() {
  local file
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$current")
  compopt -o filenames 2>/dev/null
}
_dragoman() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place='' at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$place/\${COMP_WORDS[at]}" in
      ${places.map(quoted).join('|')}) place="$place/\${COMP_WORDS[at]}" ;;
    esac
  done
  case "$place $previous" in
${values.join('\n')}
  esac
  case "$place" in
${words.join('\n')}
  esac
}
complete -F _dragoman dragoman
`
}

function action(values: Values): string {
  if (values === 'files') return '__dragoman_files'
  if (values === 'models') return '__dragoman_words "$(dragoman completion models 2>/dev/null)"'
  return values === 'anything' ? ':' : `__dragoman_words ${quoted(values.words.join(' '))}`
}
