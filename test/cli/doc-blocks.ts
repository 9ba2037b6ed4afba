// The code blocks of the documents, and the commands in them.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

const readmes = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'deploy/README.md']

/** The documents, by their paths in the repository. */
export const documents = [
  ...readmes,
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

export interface Block {
  /** File and line of its fence. */
  readonly at: string
  readonly document: string
  readonly language: string
  readonly text: string
}

const fences = /^( *)```(\S*)\n(.*?)^\1```$/gms

export const blocks: readonly Block[] = documents.flatMap((document) => {
  const text = readFileSync(join(root, document), 'utf8')
  return [...text.matchAll(fences)].map(({ index, 1: indent = '', 2: language = '', 3: inside = '' }) => ({
    at: `${document}:${text.slice(0, index).split('\n').length}`,
    document,
    language,
    text: inside.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
})

/** The code spans of the documents, outside of blocks, that begin with this word. */
export const spansOf = (word: string) =>
  documents.flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8').replace(fences, '')
    const spans = [...text.matchAll(new RegExp(`\`(${word} [^\`]+)\``, 'g'))]
    return spans.map(({ 1: span = '' }) => ({ document, span }))
  })

/** The shell script of a block: all of it, or what follows the prompts of a transcript. */
export function scriptOf({ language, text }: Block): string {
  if (language === 'sh') return text
  if (language !== 'console') return ''
  return [...text.matchAll(/^\$ (.*)$/gm)].map(([, line = '']) => `${line}\n`).join('')
}

const tokens =
  /\\\n|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\.)*)"|\$\((?<inner>[^()]*)\)|\\(?<escaped>.)|(?<end>&&|\|\||[;&|\n])|(?<arrow>[<>]+)|(?<blank>[ \t]+)|(?<plain>.)/gsy

/** The simple commands of a shell script as words, those inside `$(…)` first; without assignments and redirections. */
export function commandsOf(script: string): string[][] {
  const token = new RegExp(tokens)
  const found: string[][] = []
  let words: string[] = []
  let word: string | undefined
  let isTarget = false
  const endWord = () => {
    if (word !== undefined && !isTarget) words.push(word)
    if (word !== undefined) isTarget = false
    word = undefined
  }
  const endCommand = () => {
    endWord()
    while (/^\w+=/.test(words[0] ?? '')) words.shift()
    if (words.length > 0) found.push(words)
    words = []
  }
  for (let at = 0; at < script.length; at = token.lastIndex) {
    if (script[at] === '#' && word === undefined) {
      const { length } = /^.*/.exec(script.slice(at))?.[0] ?? ''
      token.lastIndex = at + length
      continue
    }
    const { single, double, inner, escaped, end, arrow, blank, plain } = token.exec(script)?.groups ?? {}
    for (const nested of [inner, ...[...(double ?? '').matchAll(/\$\(([^()]*)\)/g)].map(([, text]) => text)])
      if (nested !== undefined) found.push(...commandsOf(nested))
    if (end !== undefined) endCommand()
    else if (blank !== undefined) endWord()
    else if (arrow !== undefined) {
      endWord()
      isTarget = true
    } else word = (word ?? '') + (single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? '')
  }
  endCommand()
  return found
}

export interface ShownCommand {
  readonly at: string
  readonly program: string
  readonly words: readonly string[]
}

/** Every command of every block. */
export const commands: readonly ShownCommand[] = blocks.flatMap((block) =>
  commandsOf(scriptOf(block)).map((words) => ({ at: block.at, program: words[0] ?? '', words })),
)

export const called = (program: string) => commands.filter((command) => command.program === program)
