// The user's own git, outside of every sandbox, and repositories for it that are made by hand.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findProgram } from './debian-program.ts'

export const gitProgram = { program: 'git', variable: 'DRAGOMAN_GIT' }
export const git = findProgram(gitProgram)

export function put(path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  chmodSync(path, mode)
}

export const script = (line: string) => `#!/bin/sh\n${line}\n`

/** What `git init` makes, with more settings. */
export function putGitDir(folder: string, config = ''): void {
  for (const name of ['objects', 'refs/heads', 'hooks']) mkdirSync(join(folder, name), { recursive: true })
  put(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
  put(join(folder, 'config'), `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${config}`)
}

/** What a user does all day, in each of the folders; says what the commands said. */
export function workWithGit(home: string, folders: readonly string[]): string {
  if (git === undefined) return ''
  const who = {
    GIT_AUTHOR_NAME: 'u',
    GIT_AUTHOR_EMAIL: 'u@x',
    GIT_COMMITTER_NAME: 'u',
    GIT_COMMITTER_EMAIL: 'u@x',
  }
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_EDITOR: 'true',
    ...who,
  }
  const work = '"$0" status; "$0" log -1; "$0" rebase --continue; "$0" commit --allow-empty -m work'
  const everywhere = `for folder; do (cd "$folder" && { ${work}; }); done 2>&1; true`
  return execFileSync('/bin/sh', ['-c', everywhere, git, ...folders], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  })
}
