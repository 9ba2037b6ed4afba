// The script for zsh, with descriptions.

import type { CompletedCommand, Suggestion, Values } from './completion-tree.ts'
import { quoted } from './completion-words.ts'

export function zshScript(commands: readonly CompletedCommand[]): string {
  const places = commands.map(({ place }) => place).filter(Boolean)
  const values = commands.flatMap(({ place, options }) =>
    options.flatMap(({ names, values }) =>
      values === undefined
        ? []
        : [`    ${names.map((name) => quoted(`${place} ${name}`)).join('|')}) ${action(values)}; return ;;`],
    ),
  )
  const lists = commands.map(({ place, commands: below, options, values }) => {
    const flags = options.flatMap(({ names, about }) => names.map((word) => ({ word, about })))
    const rest = values === undefined ? '' : `; ${action(values)}`
    return `    ${quoted(place)}) list=(${[...below, ...flags].map(described).join(' ')}); _describe dragoman list${rest} ;;`
  })
  // `path` and `words` are zsh's own.
  return `#compdef dragoman
# Completion of dragoman for zsh, in a folder of $fpath:
#   dragoman completion zsh > ~/.zfunc/_dragoman
_dragoman_models() {
  compadd -- \${(f)"$(dragoman completion models 2>/dev/null)"}
}
_dragoman() {
  local place='' at previous="\${words[CURRENT-1]}"
  local -a list
  for ((at = 2; at < CURRENT; at++)); do
    case "$place/\${words[at]}" in
      ${places.map(quoted).join('|')}) place="$place/\${words[at]}" ;;
    esac
  done
  case "$place $previous" in
${values.join('\n')}
  esac
  case "$place" in
${lists.join('\n')}
  esac
}
if [ "$funcstack[1]" = "_dragoman" ]; then _dragoman "$@"; else compdef _dragoman dragoman; fi
`
}

/** A colon parts the word from its description. */
const described = ({ word, about }: Suggestion) => quoted(`${word.replaceAll(':', '\\:')}:${about}`)

function action(values: Values): string {
  if (values === 'files') return '_files'
  if (values === 'models') return '_dragoman_models'
  return values === 'anything' ? ':' : `compadd -- ${values.words.map(quoted).join(' ')}`
}
