// Exports that nothing imports are private by mistake or dead; files that are too long hold more than one thing.

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))
const mostLines = 400

const files = ['src', 'sim', 'test', 'bench', 'scripts', 'deploy', 'site']
  .flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  )
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.(tsx?|mjs)$/.test(file) && !file.includes('node_modules/'))
const texts = new Map(files.map((file) => [file, readFileSync(`${root}${file}`, 'utf8')]))

/** The files that name each word. */
const places = new Map<string, Set<string>>()
for (const [file, text] of texts)
  for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g)))
    places.set(word, (places.get(word) ?? new Set()).add(file))

const exported =
  /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum) ([\w$]+)/gm

it('exports only what another file uses', () => {
  const unused = [...texts]
    .filter(([file]) => /^(?:src|sim)\/.*(?<!\.test)\.tsx?$/.test(file))
    .flatMap(([file, text]) =>
      [...text.matchAll(exported)]
        .filter(([, name = '']) => (places.get(name)?.size ?? 0) < 2)
        .map(([, name]) => `${file}: ${name}`),
    )
  expect(unused).toEqual([])
})

it('keeps every file short', () => {
  const long = [...texts].map(([file, text]) => ({ file, lines: text.split('\n').length - 1 }))
  expect(long.filter(({ lines }) => lines > mostLines)).toEqual([])
})
