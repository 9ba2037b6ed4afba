// What the clients are asked to do, and how one sees that it was done. The demo model makes the calls; the client's own tools
// must do the work. The commands wait a little: Qwen Code now and then loses the output of very short ones.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const read = (workspace, name) =>
  existsSync(join(workspace, name)) ? readFileSync(join(workspace, name), 'utf8') : ''
const says = (output, words) =>
  output.includes(words) ? undefined : `it did not say ${JSON.stringify(words)}`

export const files = {
  'README.md': '# The magic word is 4711\n\nMore.\n',
  'notes.txt': 'first note\n',
  'src/a.ts': 'export const a = 1\n',
  'src/b.ts': 'export const b = 2\n',
  'src/c.ts': '// one\n// two\nexport const needle = 3\n',
}

export const tasks = {
  read: {
    prompt: 'Read README.md and tell me its first heading.',
    check: ({ output }) => says(output, 'heading of README.md: # The magic word is 4711'),
  },
  'read, edit, run': {
    prompt: 'Read notes.txt, then write second-note to notes.txt, then run `sleep 0.3; cat notes.txt`',
    check: ({ output, workspace }) =>
      read(workspace, 'notes.txt').trim() === 'second-note'
        ? says(output, 'printed: second-note')
        : 'notes.txt was not changed',
  },
  'parallel reads': {
    prompt: 'Read src/a.ts and src/b.ts and notes.txt',
    check: ({ output }) => says(output, 'export const b = 2') ?? says(output, 'notes.txt begins: first note'),
  },
  'failing command': {
    prompt: 'Run `cat missing-file.txt`, then run `sleep 0.3; echo went-on`',
    check: ({ output }) => says(output, 'missing-file.txt` failed') ?? says(output, 'printed: went-on'),
  },
  // No double quotes: OpenCode and Kilo put the whole prompt into such, and escape these.
  'exit code': {
    prompt: 'Run `echo out; sleep 0.3; (exit 3)` and tell me its exit code.',
    // A model cannot know what its client does not tell, but must not invent a success.
    check({ output, client }) {
      const stated = /\bcode\b\W{0,4}(?:is |was |of |with )?(\d+)/i.exec(output)?.[1]
      if (client.tellsExitCodes === false)
        return stated === '0' ? 'it stated exit code 0' : says(output, 'out')
      return stated === '3' ? undefined : `it stated exit code ${stated}`
    },
  },
  search: {
    prompt: 'Search for needle in src',
    check: ({ output }) =>
      /c\.ts\W{1,12}(?:line )?3\b|\bline 3\b/i.test(output) && output.includes('c.ts')
        ? undefined
        : 'it did not name src/c.ts and line 3',
  },
  'edit twice': {
    prompt:
      'Read notes.txt, then write second-note to notes.txt, then read notes.txt, then write third-note to notes.txt',
    check: ({ output, workspace }) =>
      read(workspace, 'notes.txt').trim() === 'third-note'
        ? says(output, 'second-note')
        : `notes.txt is ${JSON.stringify(read(workspace, 'notes.txt'))}`,
  },
  '60 KB written': {
    prompt: 'Write 60 KB of text to big.txt',
    check({ output, workspace }) {
      const text = read(workspace, 'big.txt')
      const lines = text.trimEnd().split('\n')
      const whole = lines.every((line, at) => line.startsWith(`${at + 1}: `))
      return text.length > 59_000 && whole
        ? says(output, 'Wrote big.txt.')
        : `big.txt has ${text.length} characters`
    },
  },
  cancel: {
    prompt: 'Tell me a very long story.',
    endless: true,
    check: ({ turns }) =>
      turns.at(-1)?.outcome === 'canceled' ? undefined : `the last turn ended as ${turns.at(-1)?.outcome}`,
  },
}
