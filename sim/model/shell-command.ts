// A wish as a command, for clients whose shell does everything.

import type { Wish } from './wish.ts'

export function toCommand(wish: Wish): string {
  switch (wish.kind) {
    case 'run':
      return wish.command
    case 'read':
      return `cat ${quote(wish.path)}`
    case 'list':
      return `ls ${quote(wish.path)}`
    case 'search':
      return `grep -rn -- ${quote(wish.pattern)} ${quote(wish.path)}`
    case 'write':
      return `printf ${wish.text.endsWith('\n') ? '%s' : "'%s\\n'"} ${quote(wish.text)} > ${quote(wish.path)}`
    case 'append':
      return `printf '%s\\n' ${quote(wish.text)} >> ${quote(wish.path)}`
    case 'replace':
      return `sed -i ${quote(`s/${escapePattern(wish.old)}/${escapeText(wish.text)}/g`)} ${quote(wish.path)}`
  }
}

function quote(word: string): string {
  return /^[\w./@~+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

function escapePattern(text: string): string {
  return text.replace(/[\\/.*[\]^$]/g, '\\$&')
}

function escapeText(text: string): string {
  return text.replace(/[\\/&]/g, '\\$&')
}
