import { expect, it } from 'vitest'
import { findWorkspace } from './workspace.ts'

it.each([
  ['Working directory: /srv/project\nPlatform: linux', '/srv/project'],
  ['<env>\nWorking directory: C:\\work\n</env>', 'C:\\work'],
  ['<cwd>/srv/my project</cwd>', '/srv/my project'],
  ['<cwd>\n  /srv/me \n</cwd>', '/srv/me'],
  ["I'm currently working in the directory: /srv/app", '/srv/app'],
  ['Current Working Directory (/srv/app) Files', '/srv/app'],
  ['The workspace path of the user is /srv/app.', '/srv/app'],
  ['cwd: here, working directory: none', undefined],
])('%s', (text, path) => {
  expect(findWorkspace([text])).toBe(path)
})

it.each([
  ['<cwd>/', `<cwd>/${' '.repeat(200_000)}`],
  ['many openings', 'current working directory (/'.repeat(7_000)],
  ['many tags', '<cwd>/'.repeat(30_000)],
  ['blanks', `working directory:${' '.repeat(200_000)}`],
])('a text made to be slow is not: %s', (_name, text) => {
  expect(findWorkspace([text])).toBeUndefined()
})
