// The documents lead to pages, headings and files that exist.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const { headingAnchor } = await import(new URL('../../site/heading-anchor.mjs', import.meta.url).href)
const root = join(import.meta.dirname, '..', '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const pages = [root, join(root, 'docs'), join(root, 'deploy')].flatMap((folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => relative(root, join(folder, file))),
)

describe('links', () => {
  const withoutCode = (markdown: string) => markdown.replace(/^```.*?^```$/gms, '')
  const anchorsOf = (file: string) =>
    [...withoutCode(read(file)).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => headingAnchor(heading))

  it.each(pages)('%s: leads nowhere wrong', (file) => {
    const links = [...withoutCode(read(file)).matchAll(/\]\(((?!https?:)[^)\s#]*)(?:#([^)\s]*))?\)/g)]
    const wrong = links.filter(([, path = '', anchor]) => {
      const target = path === '' ? file : join(dirname(file), path)
      if (!existsSync(join(root, target))) return true
      return anchor !== undefined && !anchorsOf(target).includes(anchor)
    })
    expect(wrong.map(([link]) => link)).toEqual([])
  })
})

describe('paths in code spans', () => {
  const folders = ['src', 'sim', 'test', 'scripts', 'bench', 'proto']
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  const exists = (path: string) =>
    existsSync(join(root, path)) || files.some((file) => `/${file}`.endsWith(`/${path.replace(/\/$/, '')}`))

  it.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s: names files that exist', (file) => {
    const spans = [...read(file).matchAll(/`([\w./-]+(?:\.ts|\.mjs|\.json|\/))`/g)].map(
      (match) => match[1] ?? '',
    )
    const named = spans.filter((path) => !path.includes('NAME') && !path.startsWith('/'))
    expect(named.filter((path) => !exists(path))).toEqual([])
  })

  it.each(pages)('%s: names files of the repository that exist', (file) => {
    const spans = [...read(file).matchAll(/`((?:src|sim|test|scripts|bench|proto|deploy|docs)\/[\w./-]+)`/g)]
    const named = spans.map((match) => match[1] ?? '').filter((path) => !path.includes('NAME'))
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})
