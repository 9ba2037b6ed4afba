// All regular expressions of a source file: literals by its syntax tree, and those that are built while it is loaded by watching.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

export interface Found {
  /** From the project's root, with the line of a literal. */
  place: string
  file: string
  source: string
  flags: string
}

export interface Built {
  file: string
  /** The expression as it is written, with `{` for what opens a part of a template. */
  code: string
  /** Whether it is in a function, so that it is built when that is called. */
  inFunction: boolean
}

const root = join(import.meta.dirname, '../..')

export function sourceFiles(folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /(?<!\.test|\.d)\.(?:ts|tsx|mjs)$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  )
}

export function readPatterns(file: string): { literals: Found[]; built: Built[] } {
  const text = readFileSync(join(root, file), 'utf8')
  const literals: Found[] = []
  const built: Built[] = []
  if (!text.includes('/') && !text.includes('RegExp')) return { literals, built }
  const lang = file.endsWith('.tsx') ? 'tsx' : file.endsWith('.ts') ? 'ts' : 'js'
  const visit = (value: unknown, inFunction: boolean): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, inFunction)
    if (typeof value !== 'object' || value === null || !('type' in value)) return
    const node = value as SyntaxNode
    if (node.regex) {
      const line = text.slice(0, node.start).split('\n').length
      literals.push({ place: `${file}:${line}`, file, source: node.regex.pattern, flags: node.regex.flags })
    }
    if (node.callee?.name === 'RegExp')
      built.push({
        file,
        code: text.slice(node.start, node.end).replace(/\s+/g, ' ').replace(/\$\{/g, '{'),
        inFunction,
      })
    const inside = inFunction || /Function|Method/.test(node.type)
    for (const child of Object.values(node)) if (typeof child === 'object') visit(child, inside)
  }
  visit(parseAst(text, { lang }), false)
  return { literals, built }
}

interface SyntaxNode {
  type: string
  start: number
  end: number
  regex?: { pattern: string; flags: string }
  callee?: { name?: string }
}

/** Loads the file once more, under another name, and notes what it builds. What it imports is the same as for everybody. */
export async function builtWhileLoading(file: string): Promise<Found[]> {
  const found: Found[] = []
  const Known = RegExp
  class Watched extends Known {
    constructor(source: string | RegExp, flags?: string) {
      super(source, flags)
      // Others may build patterns of their own at the same time.
      if (new Error().stack?.includes(file))
        found.push({ place: file, file, source: this.source, flags: this.flags })
    }
  }
  globalThis.RegExp = Watched as RegExpConstructor
  try {
    await import(`${join(root, file)}?patterns`)
  } finally {
    globalThis.RegExp = Known
  }
  return found
}
