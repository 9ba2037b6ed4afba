// Every command in the documents exists, with the arguments and options that it is shown with.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { called, commands, root, spansOf } from './doc-blocks.ts'
import { mistakes } from './mistakes.ts'

/** What stands for a word of the reader's. */
const placeholders: Record<string, string> = { CLIENT: 'claude-code' }

/** The line of a gateway that is ready, and mistakes, which mistakes.test.ts makes. */
const noCommands = ['dragoman listening on …', ...mistakes.map(({ typed }) => typed)]

/** Programs of others, and what they would need. */
const foreign: Record<string, string> = {
  git: 'a clone from the network',
  docker: 'a Docker engine; deploy.test.ts checks the Dockerfile and the options of compose.yaml',
  kubectl: 'a cluster; deploy.test.ts checks the file',
  sudo: "changes of the machine's own; deploy.test.ts checks the unit and the configuration",
  'redis-server': 'a program to install; test/cluster runs it',
  nginx: 'a program to install; deploy.test.ts checks the file',
  openssl: 'only random bytes',
  sed: 'only prepares nginx.conf',
  claude: 'test:claude-code runs it',
  codex: 'test:clients runs it',
  gemini: 'test:clients runs it',
  qwen: 'test:clients runs it',
  opencode: 'test:clients and test:plugin run it',
  cn: 'test:clients runs it',
  cline: 'test:clients runs it',
  copilot: 'test:clients runs it',
  kimi: 'test:clients runs it',
  pi: 'test:clients runs it',
  kilo: 'test:clients runs it',
  goose: 'test:clients runs it',
  grok: 'test:clients runs it',
}

const shell = ['cat', 'cd', 'eval', 'export', 'printf', 'umask']
const own = ['curl', 'dragoman', 'node', 'npm']

it('every program is ours, of the shell, or a known one of others', () => {
  const programs = new Set(commands.map(({ program }) => program))
  expect([...programs].sort()).toEqual(
    [...own.filter((name) => programs.has(name)), ...shell, ...Object.keys(foreign)].sort(),
  )
})

interface Tree {
  options: string[]
  commands: Record<string, Tree>
}

/** What the program's own parser says of these command lines. */
function parse(lines: readonly (readonly string[])[]): { problems: (string | null)[]; tree: Tree } {
  const parser = fileURLToPath(new URL('./parse-commands.mjs', import.meta.url))
  return JSON.parse(
    execFileSync(process.execPath, [parser], { input: JSON.stringify(lines), encoding: 'utf8' }),
  )
}

describe('dragoman', () => {
  const lines = called('dragoman').map(({ at, words }) => ({
    at,
    args: words.slice(1).map((word) => placeholders[word] ?? word),
  }))
  const wrong = [
    ['serv'],
    ['serve', '--prot', '1'],
    ['setup', 'nobody'],
    ['tape', 'show'],
    ['serve', '--port', 'x'],
  ]
  const { problems, tree } = parse([...wrong, ...lines.map(({ args }) => args)])

  it('a wrong command, option, choice, number or missing argument is found', () => {
    expect(problems.slice(0, wrong.length)).not.toContain(null)
  })

  it('every command in a block is one', () => {
    expect(lines.length).toBeGreaterThan(50)
    const found = lines.map(({ at, args }, nth) => [at, args.join(' '), problems[wrong.length + nth]])
    expect(found.filter(([, , problem]) => problem !== null)).toEqual([])
  })

  it('every command in a code span has a name and options that exist', () => {
    const spans = spansOf('dragoman').filter(({ span }) => !noCommands.includes(span))
    expect(spans.length).toBeGreaterThan(100)
    expect(
      spans.flatMap(({ document, span }) => problemsOfSpan(span, tree).map((text) => `${document}: ${text}`)),
    ).toEqual([])
  })
})

/** A span may show choices (`ls\|show`), parts to leave out (`[--json]`) and words to fill in. */
function problemsOfSpan(span: string, tree: Tree): string[] {
  const [, ...words] = span.replaceAll(/[[\]]/g, '').split(/\s+/)
  let at = [tree]
  while (words.length > 0 && at.some(({ commands }) => Object.keys(commands).length > 0)) {
    const names = (words.shift() ?? '').split('\\|')
    if (names[0] === '' || names[0] === '…' || names[0] === 'COMMAND' || names[0]?.startsWith('-')) break
    const unknown = names.filter((name) => !at.some(({ commands }) => name in commands))
    if (unknown.length > 0) return unknown.map((name) => `${span}: there is no ${name}`)
    at = names.flatMap((name) => at.flatMap(({ commands }) => commands[name] ?? []))
  }
  const known = new Set(['--help', '--version', ...at.flatMap(({ options }) => options)])
  return words
    .filter((word) => /^--?[a-z]/.test(word))
    .map((word) => word.replace(/[=,;:…].*$/, ''))
    .filter((word) => !known.has(word) && !word.split('\\|').every((one) => known.has(one)))
    .map((word) => `${span}: there is no ${word}`)
}

describe('npm and node', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const spans = [...spansOf('npm'), ...spansOf('node')].map(({ document, span }) => ({
    at: document,
    words: span.split(' '),
  }))

  it('every script exists', () => {
    const runs = [...called('npm'), ...spans].filter(
      ({ words }) => words[0] === 'npm' && words[1] === 'run' && words.length > 2,
    )
    expect(runs.length).toBeGreaterThan(30)
    expect(
      runs.filter(({ words }) => !((words[2] ?? '') in scripts)).map(({ at, words }) => [at, ...words]),
    ).toEqual([])
  })

  it('every other command of npm is known', () => {
    const others = new Set(called('npm').map(({ words }) => words[1]))
    expect([...others].sort()).toEqual(['install', 'pack', 'run', 'start'])
  })

  it('every file that node runs exists', () => {
    const files = [...called('node'), ...spans]
      .filter(({ words }) => words[0] === 'node' && /^[\w-]+\/.*\.m?js$/.test(words[1] ?? ''))
      .map(({ words }) => words[1] ?? '')
      // Made by the build.
      .filter((file) => !file.startsWith('dist/'))
    expect(files.length).toBeGreaterThan(3)
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })
})
